import { object } from '@baton/config/values/json';
import { BatonError, type McpServer } from '@baton/protocol/values';
import type { Client, Transport } from '@modelcontextprotocol/client';
import { ProcessTransport } from './process-transport.ts';
import { MASK, secretsOf } from './server-format.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export type CheckOptions = {
  timeoutMs?: number | undefined;
  /** Aborting it ends the check with `interrupted`. */
  signal?: AbortSignal | undefined;
  cwd?: string | undefined;
  env?: Environment | undefined;
};

/** A server's description of itself. */
export type ServerReport = {
  /** The revision of the protocol, such as 2025-11-25. */
  protocol: string;
  /** Its name and version, if it reports them. */
  name?: string;
  version?: string;
  tools: { name: string; description?: string }[];
};

const DEFAULT_TIMEOUT_MS = 30_000;
/** A server that only knows the older handshake may leave the first question of the newer one unanswered. */
const PROBE_SHARE = 6;
/** Variables that a server inherits; others may hold secrets that it must not see. */
const INHERITED =
  /^(?:HOME|PATH|USER|LOGNAME|SHELL|TERM|TMPDIR|LANG|LC_\w+|TZ|XDG_\w+|(?:https?|no|all)_proxy)$/i;
/** Shorter values occur in any text. */
const MIN_SECRET = 4;

/**
 * Connects to an MCP server, in the revision 2026-07-28 or an older one, and lists its tools. A process that it starts is
 * ended before it returns. Throws `mcp_failed` with the reason, without values of variables and headers.
 */
export async function checkServer(
  server: McpServer,
  {
    timeoutMs = DEFAULT_TIMEOUT_MS,
    signal,
    cwd = process.cwd(),
    env = process.env,
  }: CheckOptions = {},
): Promise<ServerReport> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const abort = signal ? AbortSignal.any([signal, timeout]) : timeout;
  const actual = withVariables(server, env);
  const attempts = await attemptsFor(actual, { cwd, env });
  let first: unknown;
  for (const { open, mode } of attempts) {
    const transport = open();
    try {
      return await ask(transport, { mode, abort, timeoutMs });
    } catch (error) {
      if (signal?.aborted) throw new BatonError('interrupted', 'The check was interrupted.');
      if (timeout.aborted)
        throw failure(`The server did not answer within ${timeoutMs / 1000} s.`, actual);
      if (BatonError.is(error)) throw failure(error.message, actual);
      first ??= ended(transport) ?? error;
      if (isFinal(error)) break;
    }
  }
  throw failure(reasonOf(first), actual);
}

type Attempt = { open: () => Transport; mode: 'auto' | 'legacy' };

/** The ways to talk to a server, the newest first. */
async function attemptsFor(
  server: McpServer,
  { cwd, env }: { cwd: string; env: Environment },
): Promise<Attempt[]> {
  if ('command' in server && typeof server.command === 'string') {
    const { command: file, args = [] } = server;
    const inherited = Object.entries(env).filter(([name]) => INHERITED.test(name));
    const own = { ...Object.fromEntries(inherited), ...object(server.env) } as Environment;
    const open = () => new ProcessTransport({ file, args: args as string[], cwd, env: own });
    // Some older servers exit when they are asked for anything before the handshake.
    return [
      { open, mode: 'auto' },
      { open, mode: 'legacy' },
    ];
  }
  const { SSEClientTransport, StreamableHTTPClientTransport } = await import(
    '@modelcontextprotocol/client'
  );
  const url = address(String(server.url));
  const requestInit = { headers: object(server.headers) as Record<string, string> };
  const overSse: Attempt = {
    open: () => new SSEClientTransport(url, { requestInit }),
    mode: 'legacy',
  };
  if (server.type === 'sse') return [overSse];
  const overHttp = () => new StreamableHTTPClientTransport(url, { requestInit });
  return [{ open: overHttp, mode: 'auto' }, { open: overHttp, mode: 'legacy' }, overSse];
}

function address(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed && /^https?:$/.test(parsed.protocol)) return parsed;
  throw new BatonError('config_invalid', 'The address of the server is not an HTTP URL.');
}

async function ask(
  transport: Transport,
  { mode, abort, timeoutMs }: { mode: Attempt['mode']; abort: AbortSignal; timeoutMs: number },
): Promise<ServerReport> {
  const { Client: McpClient } = await import('@modelcontextprotocol/client');
  const probe = { timeoutMs: timeoutMs / PROBE_SHARE };
  const client = new McpClient(
    { name: 'baton', version: '1' },
    { versionNegotiation: mode === 'auto' ? { mode, probe } : { mode } },
  );
  const aborted = Promise.withResolvers<never>();
  const giveUp = () => aborted.reject(new Error('aborted'));
  abort.addEventListener('abort', giveUp, { once: true });
  if (abort.aborted) giveUp();
  try {
    return await Promise.race([report(client, transport, timeoutMs), aborted.promise]);
  } finally {
    abort.removeEventListener('abort', giveUp);
    await client.close().catch(() => {});
    // A client that never connected does not close its transport.
    await transport.close().catch(() => {});
  }
}

async function report(
  client: Client,
  transport: Transport,
  timeout: number,
): Promise<ServerReport> {
  await client.connect(transport, { timeout });
  const { tools } = await client.listTools(undefined, { timeout });
  const { name, version } = client.getServerVersion() ?? {};
  return {
    protocol: client.getNegotiatedProtocolVersion() ?? 'unknown',
    ...(name ? { name } : {}),
    ...(version ? { version } : {}),
    tools: tools.map((tool) => ({
      name: tool.name,
      ...(tool.description ? { description: tool.description } : {}),
    })),
  };
}

/** Returns the error of a process that exited by itself. */
function ended(transport: Transport): Error | undefined {
  const end = transport instanceof ProcessTransport ? transport.end : undefined;
  // A code of nothing is that of a process which Baton ended.
  if (!end || end.code === null) return undefined;
  const line = end.lastLine ? `: ${end.lastLine}` : '.';
  return new Error(`The server exited with code ${end.code} before it answered${line}`);
}

/** True if another way to talk to the server cannot help: it is unreachable, or requires a login. */
function isFinal(error: unknown): boolean {
  return deniedStatus(error) !== undefined || UNREACHABLE.test(codeOf(innermost(error)));
}

const UNREACHABLE = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|CERT_|ERR_TLS)/;

/** The status of a response that asks for a login. */
function deniedStatus(error: unknown): number | undefined {
  if (error instanceof Error && error.name === 'UnauthorizedError') return 401;
  const { status } = error as { status?: unknown };
  if (status === 401 || status === 403) return status;
  return error instanceof Error && error.cause ? deniedStatus(error.cause) : undefined;
}

/** The SDK and fetch wrap the error that says something. */
function innermost(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? innermost(error.cause) : error;
}

function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code ?? '');
}

function reasonOf(error: unknown): string {
  const status = deniedStatus(error);
  if (status) return `The server requires authentication (HTTP ${status}).`;
  const cause = innermost(error);
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || codeOf(cause);
}

function failure(message: string, server: McpServer): BatonError {
  const hint = 'command' in server ? {} : { hint: 'Check the URL, the headers and the network.' };
  return new BatonError('mcp_failed', masked(message, server), hint);
}

function masked(text: string, server: McpServer): string {
  return secretsOf(server)
    .filter((secret) => secret.length >= MIN_SECRET)
    .reduce((rest, secret) => rest.replaceAll(secret, MASK), text);
}

/** Agents put variables into values in one of these ways; one that is not set stays as it is. */
const REFERENCE = /\$\{(?:env:)?(\w+)(?::-([^}]*))?\}|\{env:(\w+)\}/g;

function withVariables(server: McpServer, env: Environment): McpServer {
  const filled = (value: unknown): unknown => {
    if (typeof value === 'string') {
      return value.replaceAll(
        REFERENCE,
        (all, name, fallback, other) => env[name ?? other] ?? fallback ?? all,
      );
    }
    if (Array.isArray(value)) return value.map(filled);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filled(each)]));
  };
  return filled(server) as McpServer;
}
