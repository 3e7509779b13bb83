import { text } from 'node:stream/consumers';
import { Registry } from '@baton/agents/registry/registry';
import { BatonError, type McpServer, mcpServerSchema } from '@baton/protocol';
import { type Command, isSet, type Parsed, textOf, textsOf } from '../../arguments/command.ts';

const ACTIONS = ['list', 'add', 'remove', 'copy', 'check'] as const;
type Action = (typeof ACTIONS)[number];

const USAGE: Readonly<Record<Action, string>> = {
  list: 'baton mcp list [--backend B] [--json]',
  add: 'baton mcp add NAME --backend B [--env NAME[=VALUE]] -- COMMAND [ARG...], or --url URL [--sse] [--header NAME=VALUE], or --config FILE',
  remove: 'baton mcp remove NAME --backend B',
  copy: 'baton mcp copy [NAME...] --backend B --to OTHER [--replace]',
  check: 'baton mcp check NAME [--backend B] [--timeout SECONDS]',
};

export const mcp: Command = {
  name: 'mcp',
  summary: "List, add, remove, copy and check the MCP servers in the agents' own configuration.",
  usage: Object.values(USAGE).join('\n       '),
  words: ACTIONS,
  options: {
    backend: {
      type: 'string',
      short: 'b',
      value: 'NAME',
      about: 'the agent; list and check default to all agents',
      choices: 'backends',
    },
    env: {
      type: 'string',
      short: 'e',
      value: 'NAME[=VALUE]',
      multiple: true,
      about: 'add: variable for the command; without a value it is taken from the environment',
    },
    url: { type: 'string', value: 'URL', about: 'add: address of a streamable HTTP server' },
    sse: { type: 'boolean', about: 'add: the address is that of an SSE server' },
    header: {
      type: 'string',
      value: 'NAME=VALUE',
      multiple: true,
      about: 'add: HTTP header for the address',
    },
    config: {
      type: 'string',
      value: 'FILE',
      about: 'add: read the server as JSON from a file, or from stdin with "-"',
      choices: 'files',
    },
    to: {
      type: 'string',
      value: 'NAME',
      about: 'copy: the agent that gets the servers',
      choices: 'backends',
    },
    replace: { type: 'boolean', about: 'add, copy: replace servers that have the same name' },
    timeout: {
      type: 'string',
      value: 'SECONDS',
      about: 'check: wait at most this long (default 30)',
    },
    json: { type: 'boolean', about: 'print as JSON; values of variables and headers are masked' },
  },
  notes: [
    `Agents with a configuration that Baton can edit: ${editable().join(', ')}.`,
    'Baton changes nothing else in the file and keeps a copy of it beside it (.baton-backup).',
    'Other users can see the arguments of a command: pass secrets with --env NAME or --config -.',
    'To give servers to one run only: baton run --mcp-config FILE.',
  ],
  async run(parsed, baton) {
    const [word = 'list', ...names] = parsed.positionals;
    const action = ACTIONS.find((each) => each === word);
    if (!action) {
      throw new BatonError('usage', `Unknown action "${word}".`, {
        hint: `Actions: ${ACTIONS.join(', ')}. See "baton mcp --help".`,
      });
    }
    const call = await callOf(action, names, parsed);
    const { runMcpAction } = await import('./run-mcp-action.ts');
    return runMcpAction(baton.registry, call, isSet(parsed, 'json'));
  },
};

/** Parsed call of `baton mcp`. */
export type McpCall =
  | { action: 'list'; backend: string | undefined }
  | { action: 'add'; backend: string; name: string; server: McpServer; replace: boolean }
  | { action: 'remove'; backend: string; name: string }
  | { action: 'copy'; backend: string; to: string; names: string[]; replace: boolean }
  | { action: 'check'; backend: string | undefined; name: string; timeoutMs: number };

async function callOf(action: Action, words: string[], parsed: Parsed): Promise<McpCall> {
  const backend = textOf(parsed, 'backend');
  const replace = isSet(parsed, 'replace');
  const [name = '', ...rest] = words;
  if (action === 'list' && words.length > 0) throw misuse(action, `Unexpected "${name}".`);
  if (action === 'list') return { action, backend };
  if (action !== 'copy' && name === '') throw misuse(action, 'Missing NAME.');
  const isExtra = action !== 'copy' && action !== 'add' && rest.length > 0;
  if (isExtra) throw misuse(action, `Unexpected "${rest[0]}".`);
  if (action === 'check') return { action, backend, name, timeoutMs: timeoutOf(parsed) };
  if (backend === undefined) throw misuse(action, 'Missing --backend: which agent?');
  if (action === 'remove') return { action, backend, name };
  if (action === 'add') {
    return { action, backend, name, server: await serverOf(rest, parsed), replace };
  }
  const to = textOf(parsed, 'to');
  if (to === undefined) throw misuse(action, 'Missing --to: which agent gets the servers?');
  return { action, backend, to, names: words, replace };
}

/** The server that the options describe. */
async function serverOf([command, ...args]: string[], parsed: Parsed): Promise<McpServer> {
  const [url, config] = [textOf(parsed, 'url'), textOf(parsed, 'config')];
  const ways = [command, url, config].filter((each) => each !== undefined);
  if (ways.length !== 1) {
    throw misuse('add', 'Pass either a command, --url or --config.');
  }
  if (config !== undefined) return readServer(config);
  const lost = command === undefined ? 'env' : 'header';
  if (textsOf(parsed, lost).length > 0) {
    throw misuse('add', lost === 'env' ? '--env is for a command.' : '--header is for --url.');
  }
  if (command !== undefined) {
    const env = pairsOf(parsed, 'env');
    return { command, ...(args.length > 0 ? { args } : {}), ...(env ? { env } : {}) };
  }
  if (!URL.canParse(url ?? '') || !/^https?:/.test(url ?? '')) {
    throw misuse('add', `--url expects an HTTP address, not "${url}".`);
  }
  const headers = pairsOf(parsed, 'header');
  const type = isSet(parsed, 'sse') ? 'sse' : 'http';
  return { type, url: url ?? '', ...(headers ? { headers } : {}) };
}

/** Valid names of variables and headers, and values that fit into one line. */
const NAMES = { env: /^[A-Za-z_][\w.-]*$/, header: /^[!#$%&'*+.^\w`|~-]+$/ };

function pairsOf(parsed: Parsed, option: 'env' | 'header'): Record<string, string> | undefined {
  const given = textsOf(parsed, option);
  if (given.length === 0) return undefined;
  return Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf('=');
      if (at > 0 && NAMES[option].test(pair.slice(0, at)) && !/[\r\n\0]/.test(pair)) {
        return [pair.slice(0, at), pair.slice(at + 1)];
      }
      const value = option === 'env' && at === -1 ? process.env[pair] : undefined;
      if (value !== undefined) return [pair, value];
      throw misuse(
        'add',
        option === 'env' && at === -1
          ? `The variable ${pair} is not set.`
          : `--${option} expects NAME=VALUE, with a valid name and a value of one line.`,
      );
    }),
  );
}

async function readServer(path: string): Promise<McpServer> {
  const { readFile } = await import('node:fs/promises');
  const source = await (path === '-' ? text(process.stdin) : readFile(path, 'utf8')).catch(
    (cause) => {
      throw new BatonError('usage', `Cannot read ${path}: ${cause.message}`, { cause });
    },
  );
  const { success, data } = mcpServerSchema.safeParse(parsedJson(source));
  if (success) return data;
  throw new BatonError(
    'usage',
    `${path === '-' ? 'stdin' : path} is not the JSON of an MCP server.`,
    {
      hint: 'Expected an object with "command", "args" and "env", or with "url", "type" and "headers".',
    },
  );
}

function parsedJson(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}

function timeoutOf(parsed: Parsed): number {
  const given = textOf(parsed, 'timeout') ?? '30';
  const seconds = Number(given);
  if (given.trim() !== '' && seconds > 0 && seconds <= 3600) return seconds * 1000;
  throw misuse('check', `--timeout expects seconds up to 3600, not "${given}".`);
}

function editable(): string[] {
  return new Registry()
    .entries()
    .filter(({ mcpFile }) => mcpFile !== undefined)
    .map(({ id }) => id);
}

function misuse(action: Action, message: string): BatonError {
  return new BatonError('usage', message, { hint: `Usage: ${USAGE[action]}` });
}
