import { isObject, type Json } from '@baton/config/values/json';
import type { LaunchInput } from '@baton/engine/definition/driver';
import { readServers, type ServerOptions, type Servers } from '@baton/engine/kit/mcp-servers';
import { BARE_KEY, toml } from '@baton/engine/kit/toml';
import { BatonError } from '@baton/protocol/values';

/**
 * Reads its variables from a file and then becomes the server: the values are neither in an argument nor in the agent's
 * environment.
 */
const WITH_ENV_FILE = 'set -a; . "$0"; set +a; exec "$@"';

/** The MCP servers that a run was given, by name; throws when Codex cannot use one of them. */
export function codexServers(options: ServerOptions): Servers {
  const servers = readServers(options);
  const sse = Object.entries(servers).find(([, { type }]) => type === 'sse');
  if (!sse) return servers;
  throw new BatonError(
    'capability_missing',
    `Codex does not support the SSE transport of the MCP server ${sse[0]}.`,
    {
      hint: 'Use a server with the streamable HTTP or stdio transport.',
    },
  );
}

/** The servers as a thread takes them, values and all; a server that must ask does so for every tool. */
export function threadServers(servers: Servers, asks: boolean): Json {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => {
      // Else a tool that calls itself read-only would run without a question.
      const mode = asks ? { default_tools_approval_mode: 'prompt' } : {};
      return [name, { ...mode, ...codexServer(server) }];
    }),
  );
}

/** The servers as settings on a command line, which others can read, and the variables that hold what they must not. */
export function serverSettings(
  servers: Servers,
  tempFile: LaunchInput['tempFile'],
): { config: string[]; env: Record<string, string> } {
  const env: Record<string, string> = {};
  const config = Object.entries(servers).map(([name, server], index) => {
    const { env: variables, http_headers: headers, ...rest } = codexServer(server);
    const value = { ...rest, ...hiddenHeaders(headers, index, env) };
    const table = isObject(variables)
      ? { ...value, ...withEnvFile(value, tempFile(`mcp-${index}.env`, envFile(variables))) }
      : value;
    // A key with dots or quotes in it can only be written inside a table.
    if (BARE_KEY.test(name)) return `mcp_servers.${name}=${toml(table)}`;
    return `mcp_servers=${toml({ [name]: table })}`;
  });
  // Codex would hand its own variables on to the commands that it runs.
  const hidden = Object.keys(env).map((name) => `shell_environment_policy.set.${name}=""`);
  return { config: [...config, ...hidden], env };
}

/** The same server in the format of config.toml. */
function codexServer({ type: _type, headers, ...server }: Json): Json {
  return headers === undefined ? server : { ...server, http_headers: headers };
}

function hiddenHeaders(headers: unknown, server: number, env: Record<string, string>): Json {
  if (!isObject(headers)) return {};
  const names = Object.entries(headers).map(([header, value], index) => {
    const variable = `BATON_MCP_HEADER_${server}_${index}`;
    env[variable] = String(value);
    return [header, variable];
  });
  return { env_http_headers: Object.fromEntries(names) };
}

function withEnvFile({ command, args }: Json, path: string): Json {
  const own = [command, ...(Array.isArray(args) ? args : [])];
  return { command: '/bin/sh', args: ['-c', WITH_ENV_FILE, path, ...own] };
}

function envFile(variables: Json): string {
  return Object.entries(variables)
    .map(([name, value]) => `${name}='${String(value).replaceAll("'", "'\\''")}'\n`)
    .join('');
}
