import { stripVTControlCharacters } from 'node:util';
import { string } from '@baton/config/values/json';
import type { ProviderOptions } from '@baton/engine/definition/backend';
import {
  DEFAULT_STOP,
  type Driver,
  type LaunchInput,
  type ResolvedOptions,
} from '@baton/engine/definition/driver';
import { readServers } from '@baton/engine/kit/mcp-servers';
import { flag } from '@baton/engine/kit/prompt-argument';
import { errorText } from '@baton/engine/normalize/error-text';
import { BatonError } from '@baton/protocol/values';
import { ampCredentials } from './amp-home.ts';
import { ampDialect, LOGIN_HINT } from './dialect.ts';

/** The provider options of Amp. */
export const PROVIDER_OPTIONS: ProviderOptions = {
  mode: {
    schema: { type: 'string', minLength: 1 },
    fits: (value) => typeof value === 'string' && value !== '',
    what: 'the name of a mode of Amp, such as "medium"',
  },
  thinking: {
    schema: { type: 'boolean' },
    fits: (value) => typeof value === 'boolean',
    what: 'true or false',
  },
};

/** `amp --execute`: one process per prompt, without communication while it works. */
export const print: Driver = {
  transport: 'print',
  keepsProcess: false,
  // A process of it may outlive the answer.
  graceMs: 3000,
  stop: { ...DEFAULT_STOP, signal: 'SIGTERM', signalMs: 1000 },
  launch: async (input) => {
    checkLogin(input.options);
    const thread = input.fork ? await forkThread(input) : input.resume;
    return { args: executeArgs(input, thread), stdin: { text: input.prompt.text } };
  },
  dialect: (out, { resume }) => ampDialect(out, resume !== undefined),
};

/** The command line for one prompt, which goes to standard input. */
export function executeArgs(
  { options, tempFile }: Pick<LaunchInput, 'options' | 'tempFile'>,
  thread: string | undefined,
): string[] {
  const { settings, providerOptions = {}, rawArgs = [] } = options;
  const servers = readServers(options);
  const settingsFile =
    typeof settings === 'object' ? tempFile('settings.json', JSON.stringify(settings)) : settings;
  const serversFile =
    Object.keys(servers).length > 0 ? tempFile('mcp.json', JSON.stringify(servers)) : undefined;
  return [
    ...(thread === undefined ? [] : ['threads', 'continue', thread]),
    '--execute',
    '--stream-json',
    ...(providerOptions.thinking === true ? ['--stream-json-thinking'] : []),
    '--dangerously-allow-all',
    ...flag('--mode', string(providerOptions.mode)),
    ...flag('--settings-file', settingsFile),
    ...flag('--mcp-config', serversFile),
    ...rawArgs,
  ];
}

/** Without a login Amp would print an address and wait for a code for ever. */
function checkLogin({ env }: ResolvedOptions): void {
  if (ampCredentials({ env }).credentials !== 'missing') return;
  throw new BatonError('auth_missing', 'Amp has no API key and no stored login.', {
    hint: LOGIN_HINT,
  });
}

/** Copies a thread, in releases that still can; returns the id of the copy. */
async function forkThread({ resume, runFirst }: LaunchInput): Promise<string> {
  const { code, stdout, stderr } = await runFirst(['threads', 'fork', resume ?? '']);
  const copy = /\bT-[\w-]+/.exec(stripVTControlCharacters(stdout))?.[0];
  if (code === 0 && copy !== undefined && copy !== resume) return copy;
  if (code === 0) {
    const printed = stdout.trim() || 'nothing';
    throw new BatonError(
      'output_unreadable',
      `Amp did not name the copy of the thread. It printed: ${printed}`,
    );
  }
  const words = errorText(stderr) || `It exited with code ${code}.`;
  throw new BatonError('capability_missing', `This release of Amp cannot fork threads. ${words}`, {
    hint: 'Resume the thread without a fork.',
  });
}
