import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/**
 * The settings of an agent that act in a folder, as paths from there: agents also look into the folders above. What
 * lies in the home folder is the user's own.
 */
export function settingsIn(folder: string, names: readonly string[], home: string): string[] {
  const start = resolve(folder);
  return ancestors(start)
    .filter((each) => each !== resolve(home))
    .flatMap((each) => names.map((name) => join(each, name)))
    .filter((path) => existsSync(path))
    .map((path) => relative(start, path));
}

/** A folder and all that it lies in, the folder itself first. */
function ancestors(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}
