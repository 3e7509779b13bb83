import { lstatSync, type Stats } from 'node:fs';

/** The entry at a path, links not followed; undefined if there is none, also because a folder became a file. */
export function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
