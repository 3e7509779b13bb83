import { isAbsolute, resolve } from 'node:path';
import type { PermissionRequest } from '@baton/protocol';
import { followed, homeFolder } from '@baton/runtime/internal';

/** What the pattern of a rule is compared with. */
export type Subject = {
  kind: 'command' | 'path' | 'text';
  /** All of them must fit; none when it is not known what it is about. */
  texts: readonly string[];
  /** The tool says it all, whatever its input is. */
  isWholeTool?: boolean;
  /** Where a command may run. */
  folders?: readonly string[];
};

/** What a request is about, in the words that rules use: a command, paths, an address, or the input as it is. */
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

/** A path from the root on, through all links that this machine knows: a link may lead anywhere. */
export function whole(path: string): string {
  return followed('/', path) ?? resolve(path);
}

/** What a path may lead to: some programs take `..` away before they follow links and some after, and agents know `~`. */
export function readings(path: string, folder: string): string[] {
  const places = [resolve(folder, path), isAbsolute(path) ? path : `${folder}/${path}`];
  if (path.startsWith('~')) places.push(`${homeFolder()}/${path.slice(1)}`);
  return [...new Set(places.map(whole))];
}
