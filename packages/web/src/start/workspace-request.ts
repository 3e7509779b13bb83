import type { WorkspaceFolder } from '@baton/client';
import type { WorkspaceRequest } from '@baton/protocol';

type WorkspaceKindChoice = 'worktree' | 'in_place';

/** The user's choices for the place of a new session; empty texts are defaults. */
export type WorkspaceChoices = {
  kind: WorkspaceKindChoice | undefined;
  /** Part of the branch name. */
  name: string;
  /** Branch, tag or commit to start from. */
  base: string;
  withChanges: boolean;
};

export const NO_CHOICES: WorkspaceChoices = {
  kind: undefined,
  name: '',
  base: '',
  withChanges: false,
};

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
  { kind: choice, name, base, withChanges }: WorkspaceChoices,
): WorkspaceRequest | undefined {
  if (!folder) return undefined;
  const kind = kindOf(folder, choice);
  // In place is a request too: without one, the default of the project would apply.
  if (kind === 'in_place') return { kind };
  return {
    kind,
    ...(name.trim() ? { name: name.trim() } : {}),
    ...(base.trim() ? { base: base.trim() } : {}),
    ...(withChanges ? { with_changes: true } : {}),
  };
}
