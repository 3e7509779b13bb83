import { join } from 'node:path';
import { unixAccount } from '@baton/process';
import { type AgentState, confinement, type Isolation } from '@baton/process/isolation/isolation';
import { BatonError } from '@baton/protocol/values';
import { findRepository, isRepository } from '../git/repository.ts';
import { localOperations, type WorkspaceOperations } from '../operations/operations.ts';
import { ownSettings, userWorkspaceSettings } from '../project/workspace-settings.ts';
import { WorkspaceHome } from '../workspace-home.ts';
import { confinedOperations } from './confined-operations.ts';
import type { ConfinedPlace, HelperCommand } from './helper-process.ts';

export type PlaceOptions = {
  isolation: Isolation;
  /** All agents of this machine; a helper sees the state of none. */
  backends: readonly AgentState[];
  /** Undefined for a program that cannot start helpers. */
  command: HelperCommand | undefined;
};

/** Files that a helper works on. */
export type PlaceRequest = {
  /** The folder of a session; the folder of all worktrees by default. */
  folder?: string | undefined;
  /** Other repositories that it changes. */
  repositories?: readonly string[] | undefined;
  /** Other folders that it changes, such as those around a worktree that is removed. */
  folders?: readonly string[] | undefined;
};

export type FoundPlace = ConfinedPlace & {
  /** The folder that helpers start in. */
  folder: string;
  /** Folder of new worktrees. */
  worktrees: string;
};

/** Finds out how helpers for a folder are confined; undefined if agents are trusted. */
export async function confinedPlace(
  { isolation, backends, command }: PlaceOptions,
  { folder, repositories = [], folders = [] }: PlaceRequest,
): Promise<FoundPlace | undefined> {
  if (isolation.mode === 'none') return undefined;
  if (!command) {
    throw new BatonError('config_invalid', 'This program cannot read files in the isolation.', {
      hint: 'Start the daemon with "baton serve".',
    });
  }
  const home = new WorkspaceHome();
  // An account has a state folder and worktrees of its own, in its home folder.
  const account = isolation.mode === 'user' ? unixAccount(isolation.unix_user) : undefined;
  const worktrees = account
    ? join(account.home, 'baton-workspaces')
    : ((folder && (await ownSettings(userWorkspaceSettings(), folder)).folder) ?? home.folder);
  const writable =
    isolation.mode === 'bubblewrap'
      ? [
          ...[home.stateFolder, worktrees, ...folders],
          ...[folder ?? [], repositories].flat().flatMap(partsOf),
        ]
      : [];
  // Git needs no network: nothing is ever fetched.
  const confine = await confinement({ ...isolation, network: false }, { backends, writable });
  if (!confine) return undefined;
  // A helper of an account can work anywhere; the folder of the session may be gone.
  return { command, confine, worktrees, folder: account?.home ?? folder ?? worktrees };
}

/** Returns the operations for a folder: in this process, or by helpers in the isolation. */
export async function operationsFor(
  home: WorkspaceHome,
  options: PlaceOptions,
  request: PlaceRequest,
): Promise<WorkspaceOperations> {
  const place = await confinedPlace(options, request);
  return place ? confinedOperations(place, place.folder, home.inherited) : localOperations(home);
}

/** Folders of a repository that must be writable: a session may work in a part of it, or in a worktree. */
function partsOf(folder: string): string[] {
  try {
    const found = findRepository(folder);
    return isRepository(found) ? [found.root, found.commonDir] : [folder];
  } catch {
    // It is gone, or cannot be read; the helper says so.
    return [];
  }
}
