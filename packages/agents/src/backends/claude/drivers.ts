import { join } from 'node:path';
import type { EventDraft } from '@baton/engine/definition/dialect';
import type {
  Driver,
  LaunchInput,
  ResolvedOptions,
  StopTimes,
} from '@baton/engine/definition/driver';
import { readImage } from '@baton/engine/kit/image-file';
import { cannotAsk } from '@baton/engine/kit/notices';
import { promptArgument } from '@baton/engine/kit/prompt-argument';
import { type ArgsInput, liveArgs, type OutputFormat, plainArgs, printArgs } from './args.ts';
import { claudeFolder } from './credentials.ts';
import { ClaudeDialect, claudeText } from './dialect.ts';
import { withoutOutsideFiles } from './file-mentions.ts';
import { PermissionHook } from './permission-hook.ts';
import {
  folderEnvironment,
  narrowRules,
  unreadInstructions,
  withAskRules,
  withFolderRules,
} from './settings.ts';
import { earlierTotals, lacksSystemPrompt } from './transcript-file.ts';

// In the middle of `sleep 60`, measured: from the interrupt to the end of the turn 20 to 500 ms, from there to the exit
// 40 to 400 ms. An agent that is not killed has written its session down, so the times are about twice that. Newer
// releases wait up to 1.5 s more where the init of the machine is slow to reap what the agent killed.
// Closed after its last turn it exits within 40 ms: what ran in the background is over by then, or was told to stop.
const STOP: StopTimes = { interruptMs: 800, closeMs: 2000, signal: 'SIGINT', signalMs: 400 };

/** Time that `claude -p` lets a command run in the background. */
const BACKGROUND_MS = 600_000;

/** A process that takes one prompt after another and can be talked to while it works. */
export const live: Driver = {
  transport: 'live',
  keepsProcess: true,
  stop: STOP,
  canWithholdSettings: true,
  lacksSystemPrompt,
  launch: (input) => ({
    args: liveArgs(argsInput({ ...input, options: withFolderRules(input.options) })),
    // Without it Claude does not say when it is done with what ran in the background.
    env: { ...folderEnvironment(input.options), CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '1' },
    stdin: 'open',
  }),
  dialect(out, { options, resume }) {
    for (const notice of unreadInstructions(options)) out.emit(notice);
    const asks = options.permissionMode !== 'allow-all';
    return new ClaudeDialect(out, {
      hook: asks
        ? new PermissionHook({
            cwd: options.cwd,
            allowedTools: options.tools?.allowed,
            protectedPaths: options.protectedPaths,
            trusted: options.trust.trusted,
            plans: join(claudeFolder(options.env), 'plans'),
          })
        : undefined,
      readImage: (image) => readImage(image, options.cwd),
      readPrompt: asks ? (text) => withoutOutsideFiles(text, options.cwd) : undefined,
      totals: resume === undefined ? undefined : earlierTotals(resume, options.env),
      maxTurns: options.maxTurns,
      backgroundMs: backgroundMsOf(options.env),
    });
  },
};

/**
 * Milliseconds that a turn stays open for background commands. The variable is that of `claude -p`; 0 means no limit.
 */
function backgroundMsOf(env: ResolvedOptions['env']): number | undefined {
  const set = Number(env.CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS || BACKGROUND_MS);
  return set >= 0 ? set : BACKGROUND_MS;
}

/** One process per prompt, without communication while it works. */
export const print: Driver = {
  transport: 'print',
  keepsProcess: false,
  lacks: { images: 'its prompt is plain text' },
  // Here the signal takes the place of the interrupt.
  stop: { ...STOP, signalMs: 2000 },
  canWithholdSettings: true,
  lacksSystemPrompt,
  launch(input) {
    const { options } = input;
    const { argument, stdin } = promptArgument(promptText(input));
    const asked = withFolderRules(options);
    const settings = options.permissionMode === 'allow-all' ? asked.settings : withAskRules(asked);
    const args = printArgs({
      ...argsInput({ ...input, options: { ...options, settings } }),
      prompt: argument,
      format: formatOf(options.providerOptions),
    });
    return { args, env: folderEnvironment(options), stdin };
  },
  dialect(out, { options, resume }) {
    for (const notice of [...unreadInstructions(options), ...unattendedNotices(options)]) {
      out.emit(notice);
    }
    if (formatOf(options.providerOptions) === 'text') return claudeText(out);
    const totals = resume === undefined ? undefined : earlierTotals(resume, options.env);
    const dialect = new ClaudeDialect(out, { totals, maxTurns: options.maxTurns });
    return { line: (line) => dialect.line(line), end: (end) => dialect.end(end) };
  },
};

const NOT_IN_PLAIN = 'its command line does not support it';

/** A process for each prompt that prints nothing but the answer, as compiled agents call it. */
export const plain: Driver = {
  transport: 'plain',
  keepsProcess: false,
  loadsSettings: true,
  lacks: {
    permissionMode: "only what Claude's own settings allow is permitted",
    fork: NOT_IN_PLAIN,
    sessionId: NOT_IN_PLAIN,
    outputSchema: NOT_IN_PLAIN,
    budgetUsd: NOT_IN_PLAIN,
    providerOptions: NOT_IN_PLAIN,
    images: 'its prompt is plain text',
  },
  stop: print.stop,
  lacksSystemPrompt,
  launch(input) {
    const { options, resume } = input;
    const { argument, stdin } = promptArgument(promptText(input));
    const { settingsFile, mcpConfigFile } = argsInput({
      ...input,
      options: { ...options, systemPrompt: undefined },
    });
    const args = plainArgs({
      prompt: argument,
      systemPrompt: options.systemPrompt,
      model: options.model,
      maxTurns: options.maxTurns,
      tools: options.tools,
      settingsFile,
      mcpConfigFile,
      rawArgs: [...(resume ? ['--resume', resume] : []), ...(options.rawArgs ?? [])],
    });
    return { args, stdin };
  },
  dialect(out) {
    const message = `claude -p cannot ask: everything that Claude's own settings do not allow is denied.`;
    out.emit({ type: 'notice', level: 'warning', code: 'option_emulated', message });
    return claudeText(out);
  },
};

/** The prompt for a process that gets it at its start. */
function promptText({ prompt, options }: Pick<LaunchInput, 'prompt' | 'options'>): string {
  if (options.permissionMode === 'allow-all') return prompt.text;
  return withoutOutsideFiles(prompt.text, options.cwd).text;
}

/** Puts what is long or private into files and leaves the rest for the command line. */
export function argsInput(
  input: Pick<LaunchInput, 'options' | 'tempFile'> & {
    resume?: string | undefined;
    fork?: boolean | undefined;
  },
): ArgsInput {
  const { options, tempFile } = input;
  const file = (name: string, value: string | object | undefined) =>
    typeof value === 'object' ? tempFile(name, JSON.stringify(value)) : value;
  return {
    ...options,
    resume: input.resume,
    fork: input.fork ?? false,
    systemPromptFile: options.systemPrompt && tempFile('system-prompt.md', options.systemPrompt),
    settingsFile: file('settings.json', options.settings),
    mcpConfigFile: file('mcp.json', options.mcpConfig),
    // Also without settings: a command may bring some, which Claude would load at once, and so may a folder below.
    untrustedFolder: options.trust.trusted ? undefined : options.cwd,
  };
}

function formatOf(options: Record<string, unknown> | undefined): OutputFormat {
  return (options?.outputFormat as OutputFormat | undefined) ?? 'stream-json';
}

function unattendedNotices(options: ResolvedOptions): EventDraft[] {
  const { permissionMode } = options;
  if (permissionMode === 'allow-all') return [];
  const narrow = narrowRules(options);
  const edits = permissionMode === 'auto' ? 'edits in the workspace are allowed and ' : '';
  const ignored = `${narrow.join(', ')} has no effect with claude -p, which supports no narrow rules. Use the live transport, or allow the whole tool.`;
  return [
    cannotAsk('claude -p', permissionMode, `${edits}everything that needs approval is denied`),
    ...(narrow.length > 0
      ? [{ type: 'notice', level: 'warning', code: 'option_ignored', message: ignored } as const]
      : []),
  ];
}
