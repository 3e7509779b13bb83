import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import type { PermissionRequest } from '@baton/protocol';

/** What the pattern of a rule is compared with. */
export type Subject = {
  kind: 'command' | 'path' | 'text';
  /** All of them must fit; none when it is not known what it is about. */
  texts: readonly string[];
  /** The tool says it all, whatever its input is. */
  isWholeTool?: boolean;
  /** Where a command runs, when it says so. */
  cwd?: string | undefined;
};

/** What a request is about, in the words that rules use: a command, paths, an address, or the input as it is. */
export function subjectOf({ action, input }: PermissionRequest, cwd: string): Subject {
  switch (action.type) {
    case 'command':
      return { kind: 'command', texts: [action.command], cwd: whole(action.cwd ?? cwd, cwd) };
    case 'file.read':
      return { kind: 'path', texts: [whole(action.path, cwd)] };
    case 'file.edit': {
      const paths = action.changes.flatMap(({ path, newPath }) =>
        newPath === undefined ? [path] : [path, newPath],
      );
      return { kind: 'path', texts: paths.map((path) => whole(path, cwd)) };
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

/** A path from the root on, without links as far as this machine knows them: a link may lead anywhere. */
export function whole(path: string, folder: string): string {
  return withoutLinks(isAbsolute(path) ? resolve(path) : resolve(folder, path));
}

function withoutLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(withoutLinks(parent), basename(path));
  }
}
