import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandInfo } from '@baton/protocol';

/** A folder with more is not meant to be completed from. */
const MOST = 200;
const DEEPEST = 3;

/** The commands that a folder brings for Claude, by the names of their files; nothing in it is run or read. */
export function folderCommands(cwd: string): CommandInfo[] {
  return commandsIn(join(cwd, '.claude', 'commands'), DEEPEST).slice(0, MOST);
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
