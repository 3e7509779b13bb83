import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { resolveLinks } from '../paths/resolve-links.ts';

/**
 * The settings of an agent that act in a folder, as paths from there: agents also look into the folders above, by the
 * real path of the folder. What lies in the home folder is the user's own.
 */
export function settingsIn(folder: string, names: readonly string[], home: string): string[] {
  const start = realPath(folder);
  return ancestors(start)
    .filter((each) => each !== realPath(home))
    .flatMap((each) => names.map((name) => join(each, name)))
    .filter((path) => existsSync(path))
    .map((path) => relative(start, path));
}

/** False for a folder without files, which brings nothing. */
export function hasContent(path: string): boolean {
  try {
    if (!statSync(path).isDirectory()) return true;
    return readdirSync(path, { withFileTypes: true }).some(
      (entry) => !entry.isDirectory() || hasContent(join(path, entry.name)),
    );
  } catch {
    return true;
  }
}

function realPath(path: string): string {
  return resolveLinks('/', resolve(path)) ?? resolve(path);
}

/** A folder and all that it lies in, the folder itself first. */
function ancestors(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}
