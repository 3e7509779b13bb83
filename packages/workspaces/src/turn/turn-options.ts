import type { WorkspaceEvent, WorkspaceRecord, WorkspaceRequest } from '@baton/protocol/values';
import type { ChangeReport } from '@baton/protocol/wire';
import type { UserWorkspaceSettings } from '../project/workspace-settings.ts';
import type { WorkspaceHome } from '../workspace-home.ts';
import type { RunSetup } from './set-up-workspace.ts';

export type TurnOptions = {
  home: WorkspaceHome;
  sessionId: string;
  /** True for a session that has just been made: none of the earlier checkpoints is of it. */
  isNew?: boolean | undefined;
  taskId: string;
  /** The folder that the agent works in. */
  cwd: string;
  /** The workspace of the session, if it has one. */
  workspace?: WorkspaceRecord | undefined;
  /** The workspace that the session wants, before its first turn. */
  request?: WorkspaceRequest | undefined;
  /** Names a new branch. */
  prompt?: string | undefined;
  createdBy?: string | undefined;
  /** Folders with data of Baton itself, such as that of a daemon: a folder around one of them is not kept. */
  ownFolders?: readonly string[] | undefined;
  /** Runs the setup script; in this process by default. */
  runSetup?: RunSetup | undefined;
  /** Settings and decisions of the user; read from the home folder by default. */
  user?: UserWorkspaceSettings | undefined;
  /** Called with a new worktree: the decision about the settings of its repository holds for it too. */
  onWorktree?: ((path: string) => void) | undefined;
  /** Takes the changes of the session at each look and at the end, for a daemon that cannot read the files. */
  onChanges?: ((reports: readonly ChangeReport[]) => void | Promise<void>) | undefined;
  /** Takes the events of the turn, in order. */
  onEvent(event: WorkspaceEvent): void | Promise<void>;
  /** Aborting it ends the preparation of the turn. */
  signal?: AbortSignal | undefined;
};
