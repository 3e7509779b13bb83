import { string } from '@baton/config/values/json';
import type { ProviderOptions } from '@baton/engine/definition/backend';
import { DEFAULT_STOP, type Driver, type ResolvedOptions } from '@baton/engine/definition/driver';
import { flag, promptArgument } from '@baton/engine/kit/prompt-argument';
import type { AcpAgent } from '../../dialects/acp/agent.ts';
import { acpDriver } from '../../dialects/acp/driver.ts';
import { cursorCredentials } from './cursor-home.ts';
import { CursorPrinted, LABEL, WORDS } from './stream-json.ts';

/** Words that `cursor-agent` takes for a command of its own. */
const COMMANDS: ReadonlySet<string> = new Set([
  'about',
  'acp',
  'agent',
  'create-chat',
  'generate-rule',
  'help',
  'install-shell-integration',
  'login',
  'logout',
  'ls',
  'mcp',
  'models',
  'resume',
  'rule',
  'status',
  'uninstall-shell-integration',
  'update',
  'upgrade',
  'whoami',
]);

const MODES = ['ask', 'plan'];

/** The provider options of Cursor. */
export const PROVIDER_OPTIONS: ProviderOptions = {
  mode: {
    schema: { type: 'string', enum: MODES },
    fits: (value) => MODES.includes(string(value) ?? ''),
    what: MODES.map((mode) => `"${mode}"`).join(' or '),
  },
};

/** Cursor as an agent of the Agent Client Protocol. */
export const CURSOR: AcpAgent = { label: LABEL, agentName: 'cursor-agent', words: WORDS };

/** `cursor-agent acp`: one process for many prompts. */
export const live: Driver = {
  ...acpDriver({
    agent: CURSOR,
    stop: { ...DEFAULT_STOP, signal: 'SIGTERM', signalMs: 1000 },
    // With a key or a stored login it succeeds at once; without one it would open a browser.
    authMethod: ({ env }) =>
      cursorCredentials({ env }).credentials === 'found' ? 'cursor_login' : undefined,
    launch: ({ options }) => ({
      args: [...sharedArgs(options), ...(options.rawArgs ?? []), 'acp'],
      stdin: 'open',
    }),
  }),
  lacks: { providerOptions: 'the protocol ignores the mode of the command line' },
};

/** `cursor-agent -p`: one process per prompt, without communication while it works. */
export const print: Driver = {
  transport: 'print',
  keepsProcess: false,
  // Some releases do not exit after their last line.
  graceMs: 3000,
  stop: { ...DEFAULT_STOP, signal: 'SIGTERM', signalMs: 1000 },
  lacks: { images: 'its prompt is text', mcpConfig: 'it takes its servers from its settings' },
  launch: ({ options, prompt, resume }) => {
    const { argument, stdin } = promptArgument(prompt.text, COMMANDS);
    return { args: printArgs(options, { resume, prompt: argument }), stdin };
  },
  dialect: (out) => new CursorPrinted(out),
};

type PrintInput = { resume?: string | undefined; prompt: string | undefined };

/** The command line for one prompt. A prompt that is missing here goes to standard input. */
export function printArgs(options: ResolvedOptions, { resume, prompt }: PrintInput): string[] {
  return [
    '-p',
    '--output-format',
    'stream-json',
    ...sharedArgs(options),
    ...flag('--mode', string(options.providerOptions?.mode)),
    ...flag('--resume', resume),
    ...(options.rawArgs ?? []),
    ...(prompt === undefined ? [] : [prompt]),
  ];
}

/** The folder is trusted, or has nothing that trust would let in: others are refused. */
function sharedArgs({ model }: Pick<ResolvedOptions, 'model'>): string[] {
  return ['--force', '--trust', ...flag('--model', model)];
}
