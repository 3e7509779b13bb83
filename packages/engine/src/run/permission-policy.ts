import { isInside } from '@baton/config/paths/is-inside';
import { isProtected } from '@baton/config/paths/protected-paths';
import type { Action, PermissionMode, PermissionRequest } from '@baton/protocol/values';
import { possiblePaths } from './possible-paths.ts';

type PolicyContext = {
  /** The workspace. */
  cwd: string;
  /** Paths that are protected beside the built-in list. */
  protectedPaths?: readonly string[] | undefined;
};

/** True if Baton itself allows a request in this mode, without asking a person. */
export function allowedByMode(
  mode: PermissionMode,
  { action, input }: Pick<PermissionRequest, 'action' | 'input'>,
  { cwd, protectedPaths }: PolicyContext,
): boolean {
  if (mode === 'allow-all') return true;
  if (mode === 'ask') return false;
  const paths = editedPaths(action);
  if (paths.length === 0) return false;
  const isFree = (path: string) => !isProtected(cwd, path, protectedPaths);
  if (!paths.every((path) => isInside(cwd, path) && isFree(path))) return false;
  // The tool may write a path that the action does not name.
  const others = possiblePaths(input, cwd);
  return others?.every((path) => isInside(cwd, path, { orEqual: true }) && isFree(path)) ?? false;
}

/** The paths that an edit changes, with those that it moves files to; none for anything but an edit. */
export function editedPaths(action: Action): string[] {
  if (action.type !== 'file.edit') return [];
  return action.changes.flatMap(({ path, newPath }) =>
    newPath === undefined ? [path] : [path, newPath],
  );
}
