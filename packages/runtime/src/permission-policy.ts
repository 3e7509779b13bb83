import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { Action, PermissionMode, PermissionRequest } from '@baton/protocol';

/** Whether Baton itself allows a request in this mode, without asking a person. */
export function allowedByMode(
  mode: PermissionMode,
  request: Pick<PermissionRequest, 'action'>,
  cwd: string,
): boolean {
  if (mode === 'allow-all') return true;
  if (mode === 'ask') return false;
  return editsOnlyInside(request.action, cwd);
}

function editsOnlyInside(action: Action, cwd: string): boolean {
  if (action.type !== 'file.edit') return false;
  if (action.changes.length === 0) return false;
  return action.changes.every(
    (change) =>
      isInside(cwd, change.path) && (change.newPath === undefined || isInside(cwd, change.newPath)),
  );
}

function isInside(folder: string, path: string): boolean {
  const way = relative(realPath(folder), realPath(resolve(folder, path)));
  return way !== '' && way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}

/** Follows the links in a path whose last parts need not exist yet: a link must not lead an edit outside. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}
