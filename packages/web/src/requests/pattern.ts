import type { FileChange, PermissionRequest } from '@baton/protocol';

/**
 * The default pattern of an answer with a longer scope; undefined for a whole tool or several actions.
 */
export function patternOf({ action }: PermissionRequest): string | undefined {
  const text = subjectOf(action);
  // In patterns * is a wildcard.
  return text?.replaceAll(/[*\\]/g, (character) => `\\${character}`);
}

/** True if an answer with a longer scope covers the whole tool, with any input. */
export function isWholeTool({ action }: PermissionRequest): boolean {
  return action.type === 'mcp';
}

/** The path of a change to a single file; a rename has two paths. */
function onlyPath([first, ...others]: readonly FileChange[]): string | undefined {
  return others.length === 0 && first?.newPath === undefined ? first?.path : undefined;
}

function subjectOf(action: PermissionRequest['action']): string | undefined {
  switch (action.type) {
    case 'command':
      return action.command;
    case 'file.read':
      return action.path;
    case 'file.edit':
      return onlyPath(action.changes);
    case 'fetch':
      return action.url ?? action.query;
    default:
      return undefined;
  }
}
