import { isAbsolute, resolve } from 'node:path';
import { homeFolder } from '@baton/config/paths/home-folder';
import { resolveLinks } from '@baton/config/paths/resolve-links';
import type { PermissionRequest } from '@baton/protocol';

/** Texts that the pattern of a rule is compared with. */
export type Subject = {
  kind: 'command' | 'path' | 'text';
  /** Every text must match; empty if the effect of the request is unknown. */
  texts: readonly string[];
  /** True if rules apply to the tool as a whole, whatever its input is. */
  isWholeTool?: boolean;
  /** Folders that a command may run in. */
  folders?: readonly string[];
};

/** Returns the subject of a request in the terms of rules: a command, paths, a URL, or the input itself. */
export function subjectOf({ action, input }: PermissionRequest, cwd: string): Subject {
  switch (action.type) {
    case 'command':
      return {
        kind: 'command',
        texts: [action.command],
        folders: readings(action.cwd ?? cwd, cwd),
      };
    case 'file.read':
      return { kind: 'path', texts: readings(action.path, cwd) };
    case 'file.edit': {
      const paths = action.changes.flatMap(({ path, newPath }) =>
        newPath === undefined ? [path] : [path, newPath],
      );
      return { kind: 'path', texts: paths.flatMap((path) => readings(path, cwd)) };
    }
    case 'fetch': {
      const about = action.url ?? action.query;
      return { kind: 'text', texts: about === undefined ? [] : [about] };
    }
    case 'mcp':
      return { kind: 'text', texts: [], isWholeTool: true };
    default:
      return { kind: 'text', texts: [JSON.stringify(input ?? null)] };
  }
}

/** Resolves a path from the root, through all links on this machine: a link may lead anywhere. */
export function whole(path: string): string {
  return resolveLinks('/', path) ?? resolve(path);
}

/**
 * Returns the paths that a path may resolve to: some programs remove `..` before they follow links, some after, and
 * agents expand `~`.
 */
export function readings(path: string, folder: string): string[] {
  const places = [resolve(folder, path), isAbsolute(path) ? path : `${folder}/${path}`];
  if (path.startsWith('~')) places.push(`${homeFolder()}/${path.slice(1)}`);
  return [...new Set(places.map(whole))];
}
