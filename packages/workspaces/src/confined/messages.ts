import type { ErrorInfo, WorkspaceEvent } from '@baton/protocol/values';
import type { ChangeReport } from '@baton/protocol/wire';
import type { UserWorkspaceSettings } from '../project/workspace-settings.ts';
import type { Setup } from '../turn/set-up-workspace.ts';
import type { TurnOptions } from '../turn/turn-options.ts';
import type { WorkspaceOwner } from '../worktree/workspace-owner.ts';

/** The parts of a turn that can be sent to another process. */
export type TurnRequest = Omit<
  TurnOptions,
  'home' | 'onEvent' | 'onChanges' | 'signal' | 'runSetup' | 'onWorktree'
> & {
  /** True to report the changes of the session too. */
  reportsChanges: boolean;
};

/** The worktree to set up again. */
export type SetUpRequest = { id: string; user?: UserWorkspaceSettings | undefined };

/** The folder in which a turn takes place, and the variables of its agent. */
export type TurnPlace = { cwd: string; env: Readonly<Record<string, string>> };

/** A line that a helper gets: first a call, then what belongs to the turn that it began. */
export type HelperRequest =
  | {
      call: string;
      args: unknown;
      /** The helper as a process outside of its isolation. */
      self: WorkspaceOwner;
    }
  | { turn: 'progress' | 'refresh' | 'end' | 'abort' }
  | { setup: { exitCode: number | null } | { error: ErrorInfo } };

/** A line that a helper prints. Everything in it comes from the isolation, so it is not trusted. */
export type HelperReport =
  | { event: WorkspaceEvent }
  /** The setup script, which runs in the sandbox of the session. */
  | { setup: Setup }
  | { worktree: string }
  /** A setup that was asked for begins, or says something. */
  | { started: true }
  | { output: string }
  | { changes: readonly ChangeReport[] }
  | { refreshed: true }
  | { result: unknown }
  | { error: ErrorInfo };
