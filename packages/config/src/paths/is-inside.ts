import { isAbsolute, relative, resolve } from 'node:path';
import { resolveLinks } from './resolve-links.ts';

type InsideOptions = {
  /** Also true for the folder itself. */
  orEqual?: boolean;
  /** Result if readings of the path differ; it must be true for a check that refuses what is inside. */
  inDoubt?: boolean;
};

/**
 * True when a path (absolute, or relative to the folder) lies in a folder, links followed, whether or not its end
 * exists. This is the only containment check in Baton: everything that guards files calls it.
 */
export function isInside(
  folder: string,
  path: string,
  { orEqual = false, inDoubt = false }: InsideOptions = {},
): boolean {
  // No file has NUL in its name, and a program in C would read only what comes before it.
  if (path.includes('\0') || folder.includes('\0')) return inDoubt;
  // Agents and shells expand `~`; the file system does not.
  if (path.startsWith('~')) return inDoubt;
  const written = resolve(folder);
  const root = resolveLinks('/', written);
  if (root === undefined) return inDoubt;
  // Some programs remove `..` before they follow links and some after.
  const readings = [resolveLinks('/', resolve(folder, path)), resolveLinks(root, path)];
  if (readings.includes(undefined)) return inDoubt;
  const isIn = readings.map((real) => isBelow(root, real ?? '', orEqual));
  if (!inDoubt) return isIn.every(Boolean);
  return isIn.some(Boolean) || isBelow(written, resolve(folder, path), orEqual);
}

function isBelow(root: string, path: string, orEqual: boolean): boolean {
  const way = relative(root, path);
  if (way === '') return orEqual;
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}
