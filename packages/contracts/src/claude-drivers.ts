import { formatArgs, promptArgs } from '@baton/agents/backends/claude/args';
import { CLAUDE, ClaudeDialect } from '@baton/agents/backends/claude/dialect';
import { print } from '@baton/agents/backends/claude/drivers';
import { lacksSystemPrompt } from '@baton/agents/backends/claude/transcript-file';
import { MAX_HELD } from '@baton/agents/dialects/claude-stream-json/message-lines';
import { UsageMeter } from '@baton/agents/dialects/claude-stream-json/usage';
import { verdictAtEnd, verdictOf } from '@baton/agents/dialects/claude-stream-json/verdict';
import { string } from '@baton/config/values/json';
import type { Dialect, DialectOut, StreamEnd, Verdict } from '@baton/engine/definition/dialect';
import type { Driver, LaunchInput } from '@baton/engine/definition/driver';
import { each, flag, promptArgument } from '@baton/engine/kit/prompt-argument';
import { errorText, withoutMiddle } from '@baton/engine/normalize/error-text';
import { parseClaudeCliOutput, resultIn } from './cli-output.ts';

const DEFAULT_MAX_TURNS = 25;

/** Claude as the runner calls it, reads it and stops it. */
export const runnerDriver: Driver = {
  ...oneShot(({ options }, prompt) =>
    runnerArgs({ prompt, model: options.model, allowedTools: options.tools?.allowed }),
  ),
  dialect: runnerDialect,
};

/** Claude as the gateway calls it; the streaming variant streams the answer. */
export function gatewayDriver(streaming: boolean): Driver {
  const driver = oneShot(({ options, resume, tempFile }, prompt) =>
    gatewayArgs({
      prompt,
      systemPromptFile: tempFile('system-prompt.md', options.systemPrompt ?? ''),
      sessionId: resume,
      allowedTools: options.tools?.allowed ?? [],
      maxTurns: options.maxTurns ?? DEFAULT_MAX_TURNS,
      model: options.model,
      streaming,
    }),
  );
  return { ...driver, lacksSystemPrompt };
}

/** The one-shot command line of the runner; without a prompt it is read from standard input. */
export function runnerArgs(input: {
  prompt?: string | undefined;
  model?: string | undefined;
  allowedTools?: readonly string[] | undefined;
}): string[] {
  const tools = input.allowedTools?.join(',');
  return [
    ...promptArgs('-p', input.prompt),
    ...formatArgs('json'),
    ...flag('--model', input.model),
    ...flag('--allowedTools', tools),
  ];
}

/** The one-shot command line of the gateway; without a prompt it is read from standard input. */
export function gatewayArgs(input: {
  prompt?: string | undefined;
  systemPromptFile: string;
  sessionId?: string | undefined;
  allowedTools: readonly string[];
  maxTurns: number;
  model?: string | undefined;
  streaming?: boolean | undefined;
}): string[] {
  return [
    ...promptArgs('-p', input.prompt),
    ...formatArgs(input.streaming ? 'stream-json' : 'json'),
    '--dangerously-skip-permissions',
    ...each('--allowedTools', input.allowedTools),
    ...flag('--append-system-prompt-file', input.systemPromptFile),
    ...flag('--resume', input.sessionId),
    ...flag('--model', input.model),
    ...flag('--max-turns', input.maxTurns),
  ];
}

/** One process per prompt, with the command line of a contract; SIGTERM stops it. */
function oneShot(args: (input: LaunchInput, prompt: string | undefined) => string[]): Driver {
  return {
    transport: 'print',
    keepsProcess: false,
    loadsSettings: true,
    stop: { ...print.stop, signal: 'SIGTERM' },
    launch(input) {
      const { argument, stdin } = promptArgument(input.prompt.text);
      return { args: args(input, argument), stdin };
    },
    dialect(out, { options: { maxTurns } }) {
      const dialect = new ClaudeDialect(out, { maxTurns });
      return { line: (line) => dialect.line(line), end: (end) => dialect.end(end) };
    },
  };
}

/** Reads Claude as the runner does: the whole output at the end, with the outcome from the exit code. */
function runnerDialect(out: DialectOut): Dialect {
  const lines: string[] = [];
  let length = 0;
  return {
    line(line) {
      length += line.length;
      if (length <= MAX_HELD) lines.push(line);
    },
    end(end) {
      const stdout = lines.join('\n');
      const result = resultIn(stdout);
      const nativeSessionId = string(result?.session_id);
      if (nativeSessionId) out.emit({ type: 'run.identified', nativeSessionId });
      const reported =
        result && verdictOf(result, { label: CLAUDE.label, usage: new UsageMeter().end(result) });
      if (end.code !== 0) return failed(end, stdout, reported);
      if (reported && reported.outcome !== 'done') return reported;
      return { ...reported, outcome: 'done', output: parseClaudeCliOutput(stdout) };
    },
  };
}

function failed(end: StreamEnd, stdout: string, reported: Verdict | undefined): Verdict {
  const { error: reason } = verdictAtEnd(end, CLAUDE, { understood: true });
  const error = reported?.error ?? reason;
  const words =
    errorText(end.stderr, CLAUDE.noise) || reported?.error?.message || withoutMiddle(stdout.trim());
  return {
    outcome: 'failed',
    usage: reported?.usage,
    error: error && { ...error, message: words || error.message },
  };
}
