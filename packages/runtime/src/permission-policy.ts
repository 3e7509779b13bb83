import { isAbsolute, relative, resolve } from 'node:path';
import type { Action, PermissionMode, PermissionRequest } from '@baton/protocol';
import { followed } from './follow-links.ts';

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

/** Some programs take `..` away before they follow links and some after, so a path must stay inside either way. */
function isInside(folder: string, path: string): boolean {
  // Agents know `~`; the file system does not.
  if (path.startsWith('~')) return false;
  const home = followed('/', folder);
  if (home === undefined) return false;
  return [followed('/', resolve(folder, path)), followed(home, path)].every(
    (real) => real !== undefined && isBelow(home, real),
  );
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}
