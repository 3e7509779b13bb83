import type { WorkspaceFolder } from '@baton/client';
import type { WorkspaceRequest } from '@baton/protocol';

export type WorkspaceKindChoice = 'worktree' | 'in_place';

/** The place of a new session: the user's choice, else the default of the project, else a worktree. */
export function kindOf(
  { can_have_worktree, default_kind }: WorkspaceFolder,
  choice: WorkspaceKindChoice | undefined,
): WorkspaceKindChoice {
  return can_have_worktree ? (choice ?? default_kind ?? 'worktree') : 'in_place';
}

/** The workspace of a new session; undefined for a folder that only another machine knows, whose settings decide. */
export function workspaceRequest(
  folder: WorkspaceFolder | undefined,
  choice: WorkspaceKindChoice | undefined,
): WorkspaceRequest | undefined {
  // In place is a request too: without one, the default of the project would apply.
  return folder && { kind: kindOf(folder, choice) };
}
