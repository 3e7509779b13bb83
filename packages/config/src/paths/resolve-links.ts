import { lstatSync, readlinkSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';

/** As many links as Linux itself follows in one path. */
const MAX_LINKS = 40;

/**
 * Resolves the links in a path, step by step as the system does, even if its end does not exist yet: writing to a
 * dangling link creates the file it leads to. Returns undefined for circular links. `onStep` is called with every place
 * on the way, also those that are links.
 */
export function resolveLinks(
  from: string,
  path: string,
  onStep?: (place: string) => void,
): string | undefined {
  return walk(from, path, { links: MAX_LINKS, onStep });
}

type Walk = { links: number; onStep?: ((place: string) => void) | undefined };

function walk(from: string, path: string, left: Walk): string | undefined {
  let at: string | undefined = isAbsolute(path) ? '/' : from;
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    const next: string = part === '..' ? dirname(at) : join(at, part);
    left.onStep?.(next);
    const target = linkTarget(next);
    if (target !== undefined && left.links-- === 0) return undefined;
    at = target === undefined ? next : walk(at, target, left);
    if (at === undefined) return undefined;
  }
  return at;
}

function linkTarget(path: string): string | undefined {
  try {
    // Most places are no links, and an error costs several times as much as a look.
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
    return isLink ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}
