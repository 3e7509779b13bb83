import { resolve } from 'node:path';
import { isObject, type Json, object, string } from '@baton/config/values/json';
import { BatonError } from '@baton/protocol/values';
import type { ResolvedOptions } from '../definition/driver.ts';
import { readJsonFile } from './json-file.ts';

export type Servers = Readonly<Record<string, Json>>;
export type ServerOptions = Pick<ResolvedOptions, 'mcpConfig' | 'cwd'>;

/** The MCP servers that a run was given, by name; throws when they cannot be used. */
export function readServers({ mcpConfig, cwd }: ServerOptions): Servers {
  if (mcpConfig === undefined) return {};
  const config =
    typeof mcpConfig === 'string'
      ? readJsonFile(resolve(cwd, mcpConfig), 'MCP configuration')
      : mcpConfig;
  if (!isObject(config.mcpServers)) {
    throw new BatonError('config_invalid', 'The MCP configuration has no "mcpServers".');
  }
  const servers = Object.entries(config.mcpServers);
  return Object.fromEntries(servers.map(([name, server]) => [name, checked(name, object(server))]));
}

function checked(name: string, server: Json): Json {
  if (string(server.command) ?? string(server.url)) return server;
  throw new BatonError('config_invalid', `The MCP server ${name} has neither command nor url.`);
}
