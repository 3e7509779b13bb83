import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { array, object, parseJson, string } from '@baton/config/values/json';
import type { CatalogQuery } from '@baton/engine/definition/backend-entry';
import type { CommandInfo, ModelInfo } from '@baton/protocol/values';
import { requestFrame } from './control-protocol.ts';

const REQUEST = 'baton-introduction';

/** Claude tells its models and commands when it is greeted. */
export const claudeCatalog: CatalogQuery = {
  args: [
    '--print',
    '--input-format=stream-json',
    '--output-format=stream-json',
    '--verbose',
    // Without the MCP servers of the user, which are not needed for this.
    '--strict-mcp-config',
  ],
  frames: [requestFrame(REQUEST, { subtype: 'initialize' })],
  read(line) {
    const { type, response } = object(parseJson(line));
    if (type !== 'control_response') return undefined;
    // A refusal has no response in it, and so nothing of this.
    const { models, commands } = object(object(response).response);
    return { models: array(models).flatMap(modelOf), commands: array(commands).flatMap(commandOf) };
  },
};

function modelOf(model: unknown): ModelInfo[] {
  const { value, displayName, description } = object(model);
  const id = string(value);
  if (id === undefined) return [];
  return [{ id, label: string(displayName) ?? id, description: string(description) }];
}

function commandOf(command: unknown): CommandInfo[] {
  const { name, description } = object(command);
  const known = string(name);
  return known === undefined ? [] : [{ name: known, description: string(description) }];
}

/** A folder with more commands is not meant to be completed from. */
const MAX_COMMANDS = 200;
const MAX_DEPTH = 3;

/** The commands that a folder brings for Claude, by the names of their files; nothing in it is run or read. */
export function folderCommands(cwd: string): CommandInfo[] {
  return commandsIn(join(cwd, '.claude', 'commands'), MAX_DEPTH).slice(0, MAX_COMMANDS);
}

function commandsIn(folder: string, depth: number): CommandInfo[] {
  return entriesOf(folder).flatMap((entry) => {
    if (entry.isFile() && entry.name.endsWith('.md')) return [{ name: entry.name.slice(0, -3) }];
    if (!entry.isDirectory() || depth === 0) return [];
    // Claude puts the name of the folder in front.
    return commandsIn(join(folder, entry.name), depth - 1).map(({ name }) => ({
      name: `${entry.name}:${name}`,
    }));
  });
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
