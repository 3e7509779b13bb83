import { array, isObject, type Json, object, string } from '@baton/config/values/json';
import type { McpFile } from '@baton/engine/definition/mcp-file';
import type { McpServer } from '@baton/protocol/values';

export type ServerKind = 'stdio' | 'http' | 'sse';

/** A server of an agent's own file. */
export type ConfiguredServer = {
  name: string;
  /** Undefined for a server that Baton does not understand. */
  kind?: ServerKind;
  server?: McpServer;
  /** True if the agent uses it. */
  enabled: boolean;
  /** The names of the fields that only this agent has. */
  ownFields: string[];
};

/** Replacement for a secret in output. */
export const MASK = '***';

/** Reads a server as an agent writes it. */
export function readServer(name: string, value: unknown, file: McpFile): ConfiguredServer {
  const raw = object(value);
  const enabled = raw.enabled !== false && raw.disabled !== true;
  const found = readCommand(raw, file) ?? readRemote(raw, file);
  if (!found) return { name, enabled, ownFields: Object.keys(raw) };
  const { used, ...rest } = found;
  const known = new Set(['type', 'enabled', 'disabled', ...used]);
  return { name, enabled, ...rest, ownFields: Object.keys(raw).filter((key) => !known.has(key)) };
}

type Found = Pick<Required<ConfiguredServer>, 'kind' | 'server'> & { used: string[] };

function readCommand(raw: Json, { stdio }: McpFile): Found | undefined {
  const { command: field, args: argsField, env: envField } = stdio;
  const value = raw[field];
  const words = Array.isArray(value) ? value : [value, ...array(argsField && raw[argsField])];
  const [command, ...args] = words.map(string);
  if (!command) return undefined;
  const env = texts(raw[envField]);
  return {
    kind: 'stdio',
    server: {
      command,
      ...(args.length > 0 ? { args: args.map((each) => each ?? '') } : {}),
      ...(env ? { env } : {}),
    },
    used: [field, ...(argsField ? [argsField] : []), envField],
  };
}

function readRemote(raw: Json, { http }: McpFile): Found | undefined {
  const former = http.formerUrl && string(raw[http.formerUrl]) ? http.formerUrl : undefined;
  const field = former ?? http.url;
  const url = string(raw[field]);
  if (!url) return undefined;
  const kind = !former && raw.type === 'sse' ? 'sse' : 'http';
  const headers = texts(raw[http.headers]);
  return {
    kind,
    server: { type: kind, url, ...(headers ? { headers } : {}) },
    used: [field, http.headers],
  };
}

/** A server as an agent writes it; nothing if the agent does not support its kind. */
export function writeServer(server: McpServer, file: McpFile): Json | undefined {
  if ('command' in server && typeof server.command === 'string') {
    const { type, command, args, env } = file.stdio;
    const own = Array.isArray(server.args) ? server.args : [];
    return {
      ...(type ? { type } : {}),
      ...(args
        ? { [command]: server.command, ...(own.length > 0 ? { [args]: own } : {}) }
        : { [command]: [server.command, ...own] }),
      ...some(env, server.env),
    };
  }
  const fields = server.type === 'sse' ? file.sse : file.http;
  if (!fields) return undefined;
  return {
    ...(fields.type ? { type: fields.type } : {}),
    [fields.url]: server.url,
    ...some(fields.headers, server.headers),
  };
}

/** A server as it may be shown: values of variables and headers are masked. */
export function maskServer(server: McpServer): McpServer {
  const hidden = (values: unknown) =>
    Object.fromEntries(Object.keys(object(values)).map((name) => [name, MASK]));
  return 'command' in server
    ? { ...server, ...some('env', hidden(server.env)) }
    : { ...server, ...some('headers', hidden(server.headers)) };
}

/** The values of a server that must not be shown. */
export function secretsOf(server: McpServer): string[] {
  return Object.values(object('command' in server ? server.env : server.headers)).map(String);
}

/** True if a value refers to a variable in the syntax of some agent: other agents take it literally. */
export function isReference(value: string): boolean {
  return /\$\{?[A-Za-z_]|\{(?:env|file):/.test(value);
}

function texts(value: unknown): Record<string, string> | undefined {
  if (!isObject(value) || Object.keys(value).length === 0) return undefined;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, String(each)]));
}

function some(field: string, values: unknown): Json {
  return isObject(values) && Object.keys(values).length > 0 ? { [field]: values } : {};
}
