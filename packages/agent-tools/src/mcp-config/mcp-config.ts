import { isDeepStrictEqual } from 'node:util';
import type { Registry } from '@baton/agents/registry/registry';
import { positionOf } from '@baton/config/settings/config-file';
import type { BackendEntry } from '@baton/engine/definition/backend-entry';
import type { McpFile } from '@baton/engine/definition/mcp-file';
import { BatonError, type McpServer } from '@baton/protocol/values';
import { type ConfigText, MalformedText } from './config-text.ts';
import { type EditedFile, editFile, readText } from './edit-file.ts';
import { jsonText } from './json-text.ts';
import {
  type ConfiguredServer,
  isReference,
  readServer,
  secretsOf,
  writeServer,
} from './server-format.ts';
import { tomlText } from './toml-text.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The MCP servers in an agent's own file. */
export type AgentServers = {
  /** The id of the backend. */
  backend: string;
  path: string;
  key: string;
  servers: ConfiguredServer[];
};

/** The same names that agents accept for the tools of a server. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const BYTE_ORDER_MARK = '\uFEFF';

/** The backends whose agents keep MCP servers in a file of their own. */
export function backendsWithMcpFile(registry: Registry): BackendEntry[] {
  return registry.entries().filter(({ mcpFile }) => mcpFile !== undefined);
}

/** Reads the MCP servers of an agent. */
export async function readAgentServers(
  registry: Registry,
  backend: string,
  env: Environment = process.env,
): Promise<AgentServers> {
  const { id, file, path } = await placeOf(registry, backend, env);
  const { config } = parsed(readText(path) ?? '', path, file);
  const servers = [...config.servers()].map(([name, value]) => readServer(name, value, file));
  return { backend: id, path, key: file.key, servers };
}

export type NewServer = { name: string; server: McpServer };

/** Adds servers to the file of an agent; one of the same name is an error unless it may be replaced. */
export async function addAgentServers(
  registry: Registry,
  backend: string,
  servers: readonly NewServer[],
  { replace = false, env = process.env }: { replace?: boolean; env?: Environment } = {},
): Promise<EditedFile> {
  const { label, file, path } = await placeOf(registry, backend, env);
  const written = servers.map(({ name, server }) => {
    checkName(name);
    const value = writeServer(server, file);
    if (value) return { name, value };
    throw new BatonError('capability_missing', `${label} does not support SSE servers: ${name}.`, {
      hint: 'Use the HTTP address of the server, if it has one.',
    });
  });
  return editFile(path, (text) =>
    written.reduce((before, { name, value }) => {
      const { config } = parsed(before, path, file);
      if (!config.servers().has(name)) {
        return checkedEdit(before, {
          path,
          file,
          name,
          edit: (each) => each.withServer(name, value),
        });
      }
      if (!replace) {
        throw new BatonError('conflict', `${label} already has an MCP server named "${name}".`, {
          hint: 'Choose another name, or replace the server with --replace.',
        });
      }
      const without = withoutServer(before, { path, file, name });
      return checkedEdit(without, {
        path,
        file,
        name,
        edit: (each) => each.withServer(name, value),
      });
    }, text),
  );
}

/** Removes a server from the file of an agent. */
export async function removeAgentServer(
  registry: Registry,
  backend: string,
  name: string,
  env: Environment = process.env,
): Promise<EditedFile> {
  const { label, file, path } = await placeOf(registry, backend, env);
  return editFile(path, (text) => {
    const names = [...parsed(text, path, file).config.servers().keys()];
    if (!names.includes(name)) throw notFound(label, name, names);
    return withoutServer(text, { path, file, name });
  });
}

export type CopiedServer = {
  name: string;
  /** Notes on what the other agent does not get, or may read differently. */
  notes: string[];
};

/** Copies servers from the file of one agent to that of another one; all of them if no names are given. */
export async function copyAgentServers(
  registry: Registry,
  {
    from,
    to,
    names,
    replace,
  }: { from: string; to: string; names: readonly string[]; replace?: boolean },
  env: Environment = process.env,
): Promise<EditedFile & { copied: CopiedServer[] }> {
  const { servers } = await readAgentServers(registry, from, env);
  const chosen =
    names.length === 0 ? servers : names.map((name) => findServer(registry, from, servers, name));
  const readable = chosen.map((each) => {
    if (each.server) return { ...each, server: each.server };
    throw new BatonError(
      'config_invalid',
      `The MCP server "${each.name}" has neither command nor URL.`,
    );
  });
  const edited = await addAgentServers(registry, to, readable, {
    env,
    ...(replace ? { replace } : {}),
  });
  return { ...edited, copied: readable.map((each) => ({ name: each.name, notes: notesOf(each) })) };
}

/** One of the servers of an agent; throws if there is none of that name. */
export function findServer(
  registry: Registry,
  backend: string,
  servers: readonly ConfiguredServer[],
  name: string,
): ConfiguredServer {
  const found = servers.find((each) => each.name === name);
  if (found) return found;
  throw notFound(
    registry.entry(backend).label,
    name,
    servers.map((each) => each.name),
  );
}

function notesOf({
  server,
  enabled,
  ownFields,
}: ConfiguredServer & { server: McpServer }): string[] {
  return [
    ...(enabled ? [] : ['It was disabled; the copy is enabled.']),
    ...(ownFields.length > 0 ? [`Not copied: ${ownFields.join(', ')}.`] : []),
    ...(secretsOf(server).some(isReference)
      ? ['Some values refer to variables. The other agent may read them literally.']
      : []),
  ];
}

async function placeOf(registry: Registry, backend: string, env: Environment) {
  const { id, label, mcpFile: file, capabilities } = registry.entry(backend);
  if (file) return { id, label, file, path: await file.path(env) };
  throw new BatonError('capability_missing', `${label} has no file for MCP servers.`, {
    hint: capabilities.features.mcp
      ? 'Pass the servers to each run: baton run --mcp-config FILE.'
      : `Agents that have one: ${backendsWithMcpFile(registry)
          .map((each) => each.id)
          .join(', ')}.`,
  });
}

type Place = { path: string; file: McpFile };

/** The text of a file without its byte order mark, and the servers in it. */
function parsed(
  text: string,
  path: string,
  { key, format }: McpFile,
): { config: ConfigText; mark: string } {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const source = text.slice(mark.length);
  try {
    const config =
      format === 'toml' ? tomlText(source, { key }) : jsonText(source, { key, format });
    return { config, mark };
  } catch (error) {
    if (!(error instanceof MalformedText)) throw error;
    const place = `${path}:${positionOf(source, error.offset)}`;
    throw new BatonError('config_invalid', `${place}: ${error.message}`, {
      hint: 'Fix the file at that position. It was not changed.',
    });
  }
}

function withoutServer(text: string, place: Place & { name: string }): string {
  return checkedEdit(text, { ...place, edit: (each) => each.withoutServer(place.name) });
}

/** Edits a text, and checks that no other server changed. */
function checkedEdit(
  text: string,
  { path, file, name, edit }: Place & { name: string; edit: (config: ConfigText) => string },
): string {
  const { config, mark } = parsed(text, path, file);
  const edited = mark + edit(config);
  const others = (each: ConfigText) => [...each.servers()].filter(([own]) => own !== name);
  const { config: after } = parsed(edited, path, file);
  const isFine =
    isDeepStrictEqual(others(after), others(config)) &&
    after.servers().has(name) !== config.servers().has(name);
  if (isFine) return edited;
  throw new BatonError('internal', `Editing "${name}" in ${path} would change other servers.`, {
    hint: 'Edit the file by hand, and report this with the structure of the file.',
  });
}

function checkName(name: string): void {
  if (NAME.test(name)) return;
  throw new BatonError('usage', `"${name}" cannot be the name of an MCP server.`, {
    hint: 'Use 1 to 64 letters, digits, "-" or "_".',
  });
}

function notFound(label: string, name: string, names: readonly string[]): BatonError {
  return new BatonError('not_found', `${label} has no MCP server named "${name}".`, {
    hint: names.length > 0 ? `It has: ${names.join(', ')}.` : 'It has none.',
  });
}
