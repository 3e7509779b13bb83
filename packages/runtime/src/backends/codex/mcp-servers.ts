import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { BatonError } from '@baton/protocol';
import type { LaunchInput, ResolvedOptions } from '../../driver.ts';
import { isObject, type Json, object, parseJson, string } from '../../normalize/json.ts';
import { BARE_KEY, toml } from './toml.ts';

/** Reads its variables from a file and then becomes the server: the values stand neither in an argument nor in the agent's environment. */
const WITH_ENV_FILE = 'set -a; . "$0"; set +a; exec "$@"';

/** The MCP servers that a run was given, by name; throws when they cannot be used. */
export function readServers({
  mcpConfig,
  cwd,
}: Pick<ResolvedOptions, 'mcpConfig' | 'cwd'>): Readonly<Record<string, Json>> {
  if (mcpConfig === undefined) return {};
  const config = typeof mcpConfig === 'string' ? readConfig(resolve(cwd, mcpConfig)) : mcpConfig;
  if (!isObject(config.mcpServers)) {
    throw new BatonError('config_invalid', 'The MCP configuration has no "mcpServers".');
  }
  const servers = Object.entries(config.mcpServers);
  return Object.fromEntries(servers.map(([name, server]) => [name, checked(name, object(server))]));
}

/** The servers as a thread takes them, values and all; a server that must ask does so for every tool. */
export function threadServers(servers: Readonly<Record<string, Json>>, asks: boolean): Json {
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
  servers: Readonly<Record<string, Json>>,
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

function readConfig(path: string): Json {
  try {
    return object(parseJson(readFileSync(path, 'utf8')));
  } catch (cause) {
    throw new BatonError('config_invalid', `The MCP configuration cannot be read: ${path}`, {
      cause,
    });
  }
}

function checked(name: string, server: Json): Json {
  if (server.type === 'sse') {
    throw new BatonError('capability_missing', `Codex cannot use the MCP server ${name}: SSE.`, {
      hint: 'Use a server that speaks streamable HTTP or standard input and output.',
    });
  }
  if (string(server.command) ?? string(server.url)) return server;
  throw new BatonError('config_invalid', `The MCP server ${name} has neither command nor url.`);
}

/** The same server in the words of config.toml. */
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
