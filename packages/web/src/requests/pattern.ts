import type { FileChange, PermissionRequest } from '@baton/protocol';

/**
 * The pattern that an answer for longer than once allows unless somebody widens it; nothing where it is the whole tool,
 * or several things at once.
 */
export function patternOf({ action }: PermissionRequest): string | undefined {
  const text = subjectOf(action);
  // In patterns a star stands for anything.
  return text?.replaceAll(/[*\\]/g, (character) => `\\${character}`);
}

/** Whether an answer for longer than once is about the tool itself: its next use may be for something else. */
export function isWholeTool({ action }: PermissionRequest): boolean {
  return action.type === 'mcp';
}

/** Where a change gives a file another name, it is about both. */
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
