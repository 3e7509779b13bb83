import { join } from 'node:path';
import type { EventDraft } from '../../dialect.ts';
import {
  type Driver,
  type LaunchInput,
  type ResolvedOptions,
  type StopTimes,
  withholdsSettings,
} from '../../driver.ts';
import { cannotAsk } from '../support.ts';
import { type ArgsInput, liveArgs, type OutputFormat, printArgs } from './args.ts';
import { ClaudeDialect } from './claude-dialect.ts';
import { claudeFolder } from './credentials.ts';
import { claudeText } from './dialect.ts';
import { earlierTotals } from './earlier-totals.ts';
import { Gate } from './gate.ts';
import { readImage } from './images.ts';
import { folderEnvironment, narrowRules, withAskRules, withFolderRules } from './settings.ts';

/** Longer prompts go through standard input: one argument may have 128 KB. */
const ARGUMENT_BYTES = 100_000;

// In the middle of `sleep 60`, measured: from the interrupt to the end of the turn 20 to 500 ms, from there to the exit
// 40 to 400 ms. An agent that is not killed has written its session down, so the times are about twice that. Newer
// releases wait up to 1.5 s more where the init of the machine is slow to reap what the agent killed.
// Closed after its last turn it exits within 40 ms, but waits 5 s for background tasks: those are ended sooner.
const STOP: StopTimes = { interruptMs: 800, closeMs: 2000, signal: 'SIGINT', signalMs: 400 };

/** A process that takes one prompt after another and can be talked to while it works. */
export const live: Driver = {
  transport: 'live',
  keepsProcess: true,
  stop: STOP,
  canWithholdSettings: true,
  launch: (input) => ({
    args: liveArgs(argsInput({ ...input, options: withFolderRules(input.options) })),
    env: folderEnvironment(input.options),
    stdin: 'open',
  }),
  dialect(out, { options, resume }) {
    const asks = options.permissionMode !== 'allow-all';
    return new ClaudeDialect(out, {
      gate: asks
        ? new Gate({
            cwd: options.cwd,
            allowedTools: options.tools?.allowed,
            protectedPaths: options.protectedPaths,
            trusted: options.trust.trusted,
            plans: join(claudeFolder(options.env), 'plans'),
          })
        : undefined,
      readImage: (image) => readImage(image, options.cwd),
      totals: resume === undefined ? undefined : earlierTotals(resume, options.env),
    });
  },
};

/** A process for each prompt that nobody can talk to while it works. */
export const print: Driver = {
  transport: 'print',
  keepsProcess: false,
  lacks: { images: 'its prompt is text' },
  // Here the signal takes the place of the interrupt.
  stop: { ...STOP, signalMs: 2000 },
  canWithholdSettings: true,
  launch(input) {
    const { options } = input;
    const { text } = input.prompt;
    const asked = withFolderRules(options);
    const settings = options.permissionMode === 'allow-all' ? asked.settings : withAskRules(asked);
    const args = printArgs({
      ...argsInput({ ...input, options: { ...options, settings } }),
      prompt: byArgument(text) ? text : undefined,
      format: formatOf(options.providerOptions),
    });
    const env = folderEnvironment(options);
    return { args, env, stdin: byArgument(text) ? 'none' : { text } };
  },
  dialect(out, { options, resume }) {
    for (const notice of nobodyToAsk(options)) out.emit(notice);
    if (formatOf(options.providerOptions) === 'text') return claudeText(out);
    const totals = resume === undefined ? undefined : earlierTotals(resume, options.env);
    const dialect = new ClaudeDialect(out, { totals });
    return { line: (line) => dialect.line(line), end: (end) => dialect.end(end) };
  },
};

/** Whether a prompt can be an argument: it is short enough and cannot be taken for a flag. */
export function byArgument(prompt: string): boolean {
  return Buffer.byteLength(prompt) <= ARGUMENT_BYTES && !prompt.startsWith('-');
}

/** Puts what is long or private into files and leaves the rest for the command line. */
export function argsInput(
  input: Pick<LaunchInput, 'options' | 'tempFile'> & Partial<Pick<LaunchInput, 'resume' | 'fork'>>,
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
    untrustedFolder: withholdsSettings(options) ? options.cwd : undefined,
  };
}

function formatOf(options: Record<string, unknown> | undefined): OutputFormat {
  return (options?.outputFormat as OutputFormat | undefined) ?? 'stream-json';
}

function nobodyToAsk(options: ResolvedOptions): EventDraft[] {
  const { permissionMode } = options;
  if (permissionMode === 'allow-all') return [];
  const narrow = narrowRules(options);
  const edits = permissionMode === 'auto' ? 'edits in the workspace pass and ' : '';
  const ignored = `${narrow.join(', ')} allows nothing through claude -p, which cannot keep it narrow. Use the transport live, or allow the whole tool.`;
  return [
    cannotAsk('claude -p', permissionMode, `${edits}what would be asked for is denied`),
    ...(narrow.length > 0
      ? [{ type: 'notice', level: 'warning', code: 'option_ignored', message: ignored } as const]
      : []),
  ];
}
