import { randomUUID } from 'node:crypto';
import { isObject, type Json, object, parseJson } from '@baton/config/values/json';
import type { EventDraft } from '@baton/engine/definition/dialect';
import {
  type ConnectionDriver,
  DEFAULT_STOP,
  type Driver,
  type ResolvedOptions,
  withholdsSettings,
} from '@baton/engine/definition/driver';
import { readImage } from '@baton/engine/kit/image-file';
import { readServers } from '@baton/engine/kit/mcp-servers';
import { cannotAsk } from '@baton/engine/kit/notices';
import { flag } from '@baton/engine/kit/prompt-argument';
import { BatonError } from '@baton/protocol/values';
import { LABEL, WORDS } from '../../dialects/opencode-json/errors.ts';
import { OpenCodeJson } from '../../dialects/opencode-json/reader.ts';
import { ASKING } from './permission-rules.ts';
import { SERVER_USER, serverChannel } from './server-channel.ts';
import { ServerDialect } from './server-dialect.ts';

/** The user's own configuration may have a server listen elsewhere, and announce it. */
const SERVE = ['serve', '--hostname', '127.0.0.1', '--port', '0', '--no-mdns'];
const LISTENING = /listening on (http:\/\/\S+)/;

/** The passwords of the servers that were started, by the options of their conversations. */
const passwords = new WeakMap<ResolvedOptions, string>();

/**
 * `opencode serve`: one process for many prompts. Over ACP OpenCode drops the permission requests of its sub-agents,
 * which then wait for ever, asks no questions, says nothing of its retries and keeps the reason of a denial to itself.
 */
export const live: ConnectionDriver = {
  transport: 'live',
  keepsProcess: true,
  reportsEachCall: true,
  // In the middle of `sleep 60`, on a busy machine: from the abort to the end of the turn, with the command ended, 12 to
  // 218 ms; from the end of the connection to the exit after SIGTERM 85 to 546 ms.
  stop: { ...DEFAULT_STOP, interruptMs: 1000, signal: 'SIGTERM', signalMs: 1000 },
  launch: ({ options }) => {
    const password = randomUUID();
    passwords.set(options, password);
    return {
      args: [...SERVE, ...(options.rawArgs ?? [])],
      env: {
        ...environment(options),
        OPENCODE_SERVER_USERNAME: SERVER_USER,
        OPENCODE_SERVER_PASSWORD: password,
      },
      stdin: 'none',
    };
  },
  connect: async ({ options, printed, onMessage, onClose, signal }) => {
    const line = await printed((each) => LISTENING.test(each)).catch(explain);
    const url = LISTENING.exec(line)?.[1] ?? '';
    const password = passwords.get(options) ?? '';
    return serverChannel({ url, password, onMessage, onClose, signal });
  },
  dialect: (out, { options, resume, fork }) =>
    new ServerDialect(out, {
      resume,
      fork,
      model: options.model,
      allowsAll: options.permissionMode === 'allow-all',
      mcpServers: mcpServers(options),
      readImage: (image) => readImage(image, options.cwd),
    }),
};

/** Says by its words why the server did not start. */
function explain(error: unknown): never {
  const words = error instanceof Error ? error.message : '';
  const rule = WORDS.find(([pattern]) => pattern.test(words));
  throw rule ? new BatonError(rule[1], words, { cause: error }) : error;
}

/** `opencode run`: one process per prompt, without communication while it works. */
export const print: Driver = {
  transport: 'print',
  keepsProcess: false,
  omitsSubAgents: true,
  reportsEachCall: true,
  stop: { ...DEFAULT_STOP, signal: 'SIGTERM', signalMs: 1000 },
  lacks: {
    images: 'its prompt is text',
    mcpConfig: 'it takes its servers from its configuration',
  },
  launch: (input) => ({
    args: printArgs(input.options, input),
    env: environment({ ...input.options, transport: 'print' }),
    // An argument would reach the model in quotes, or be taken for a flag.
    stdin: { text: input.prompt.text },
  }),
  dialect: (out, { options }) => {
    for (const notice of cannotAskNotice(options)) out.emit(notice);
    return new OpenCodeJson(out);
  },
};

/** OpenCode as the gateway calls it. */
export const gatewayDriver: Driver = {
  ...print,
  // Each call of the gateway has its own.
  lacksSystemPrompt: () => 'always',
  launch: (input) => ({
    args: gatewayArgs(input.options, input.resume),
    env: environment({ ...input.options, transport: 'print' }),
    stdin: { text: input.prompt.text },
  }),
};

/** The command line of the gateway. */
export function gatewayArgs(
  options: Parameters<typeof printArgs>[0],
  sessionId: string | undefined,
): string[] {
  return [
    ...printArgs(options, { resume: sessionId }),
    ...(sessionId === undefined ? [] : ['--continue']),
  ];
}

/** The command line for one prompt, which goes to standard input. */
export function printArgs(
  options: Pick<ResolvedOptions, 'model' | 'permissionMode' | 'rawArgs'>,
  { resume, fork }: { resume?: string | undefined; fork?: boolean },
): string[] {
  return [
    'run',
    '--format',
    'json',
    '--thinking',
    ...(options.permissionMode === 'allow-all' ? ['--auto'] : []),
    ...flag('--model', options.model),
    ...flag('--session', resume),
    ...(fork ? ['--fork'] : []),
    ...(options.rawArgs ?? []),
  ];
}

/** The variables that make OpenCode keep the permission mode, and keep it from the settings of an untrusted folder. */
function environment(options: ResolvedOptions): Record<string, string> {
  const mustAsk = options.permissionMode !== 'allow-all';
  // Through print nobody can look at the rules that an agent of the folder brings.
  const isWithheld = withholdsSettings(options) || (mustAsk && options.transport === 'print');
  const withheld: Record<string, string> = isWithheld
    ? { OPENCODE_DISABLE_PROJECT_CONFIG: '1' }
    : {};
  // In mode allow-all Baton grants each request at once, but none after a limit is reached.
  const isLimited = options.maxTurns !== undefined || options.budgetUsd !== undefined;
  const isHeld = isLimited && options.transport !== 'print';
  const asks = mustAsk || isHeld;
  if (!asks && options.trust.trusted) return withheld;
  const given = givenConfig(options.env.OPENCODE_CONFIG_CONTENT);
  const config = {
    ...given,
    // Else a denial would end the turn.
    ...(asks && { experimental: { ...object(given.experimental), continue_loop_on_deny: true } }),
    ...(!options.trust.trusted && NO_PROGRAMS),
  };
  return {
    ...withheld,
    OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
    ...(asks ? { OPENCODE_PERMISSION: JSON.stringify(ASKING) } : {}),
  };
}

/** After an edit, OpenCode would run programs that the folder itself has, such as vendor/bin/pint. */
const NO_PROGRAMS = { formatter: false, lsp: false };

/** The configuration that the user gave in the environment; Baton adds to it. */
function givenConfig(text: string | undefined): Json {
  if (!text) return {};
  const config = parseJson(text);
  if (isObject(config)) return config;
  throw new BatonError('config_invalid', 'OPENCODE_CONFIG_CONTENT is not a JSON object.');
}

/** The MCP servers of a run in the form of OpenCode's configuration. */
function mcpServers(options: Pick<ResolvedOptions, 'mcpConfig' | 'cwd'>): Record<string, Json> {
  const servers = Object.entries(readServers(options)).map(([name, server]) => {
    const { command, args, env: environment, url, headers } = server;
    if (command === undefined) return [name, { type: 'remote', url, headers }];
    const words = [command, ...(Array.isArray(args) ? args : [])];
    return [name, { type: 'local', command: words, environment }];
  });
  return Object.fromEntries(servers) as Record<string, Json>;
}

/** Flags that would give OpenCode more rights than the permission mode, or open its server to others. */
const WIDENING = /^(?:--auto|--yolo|--dangerously-skip-permissions|--agent|--command)(?:=|$)/;
const SERVER = /^--(?:port|hostname|mdns|mdns-domain|cors)(?:=|$)/;

/** Refuses what OpenCode cannot do in this mode or through this transport. */
export function checkOptions(options: ResolvedOptions): void {
  const { permissionMode, rawArgs = [], transport, mode } = options;
  const widening = rawArgs.find((arg) => WIDENING.test(arg));
  if (widening && permissionMode !== 'allow-all') {
    throw new BatonError(
      'usage',
      `${widening} could give ${LABEL} more rights than permission mode "${permissionMode}".`,
      { hint: 'Leave it out, or use permission mode "allow-all".' },
    );
  }
  const server = rawArgs.find((arg) => SERVER.test(arg));
  if (server) {
    throw new BatonError('usage', `Baton chooses ${server} itself.`, { hint: 'Leave it out.' });
  }
  if (options.model !== undefined && !/^[^/]+\/./.test(options.model)) {
    throw new BatonError('usage', `${LABEL} does not know the model "${options.model}".`, {
      hint: 'Name provider and model, such as "anthropic/claude-sonnet-4-5".',
    });
  }
  if (permissionMode === 'auto' && (transport === 'print' || mode === 'print')) {
    throw new BatonError(
      'capability_missing',
      `${LABEL} cannot keep permission mode "auto" through print: it would edit protected files unasked.`,
      { hint: 'Use the live transport, or permission mode "ask".' },
    );
  }
}

function cannotAskNotice({ permissionMode }: ResolvedOptions): EventDraft[] {
  if (permissionMode === 'allow-all') return [];
  return [cannotAsk('opencode run', permissionMode, 'what it would ask for is denied')];
}
