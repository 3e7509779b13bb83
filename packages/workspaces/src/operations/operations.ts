import { statSync } from 'node:fs';
import {
  BatonError,
  type CheckpointRecord,
  type FileDifference,
  type Finished,
  type FinishPlan,
  type FinishRequest,
} from '@baton/protocol/values';
import type { WorkspaceStatus } from '@baton/protocol/wire';
import { finish, planFinish } from '../finish/finish.ts';
import { findRepository, isRepository, readHead } from '../git/repository.ts';
import { type RemovedWorktree, removeWorkspace } from '../lifecycle/remove-workspace.ts';
import { type SetUpAgainOptions, setUpAgain } from '../lifecycle/set-up-again.ts';
import { type ScriptSettings, scriptSettings } from '../lifecycle/workspace-scripts.ts';
import {
  loadWorkspaceSettings,
  type UserWorkspaceSettings,
} from '../project/workspace-settings.ts';
import { checkpointRecord, listCheckpoints } from '../snapshot/checkpoints.ts';
import { type Differences, fileIn, patchOf } from '../snapshot/differences.ts';
import { expireCheckpoints } from '../snapshot/expire-checkpoints.ts';
import type { PrivateRepository } from '../snapshot/private-repository.ts';
import { restore } from '../snapshot/restore.ts';
import {
  type Comparison,
  checkpointsOf,
  type SessionChanges,
  sessionChanges,
  turnsByPath,
} from '../turn/session-changes.ts';
import { undoTurn } from '../turn/undo-turn.ts';
import type { WorkspaceHome } from '../workspace-home.ts';
import { type Reconciled, reconcile } from '../worktree/reconcile.ts';
import { expireRemoved, restoreWorktree } from '../worktree/remove-worktree.ts';
import type { StoredWorkspace } from '../worktree/workspace-files.ts';
import { workspaceStatus } from '../worktree/workspace-status.ts';
import { type ForkQuery, forkWorktree } from './fork-worktree.ts';

/** Changes of a session, with the root of its files and the turns that changed each of them. */
export type FoundChanges = SessionChanges & {
  root: string;
  turns: readonly { path: string; tasks: readonly string[] }[];
};

type ChangesQuery = Comparison & { path: string; ignoreSpace?: boolean | undefined };

type DiffQuery = {
  path: string;
  from: string;
  to: string;
  files?: readonly Pick<FileDifference, 'path' | 'old_path'>[] | undefined;
  contextLines?: number | undefined;
  ignoreSpace?: boolean | undefined;
  maxBytes: number;
};

/** A patch; empty and cut if it is larger than the limit. */
export type FoundPatch = { patch: string; cut: boolean };

type ContentQuery = { path: string; tree: string; file: string; maxBytes: number };

/** A file in base64; null if there is none, or if it is larger than the limit and so cut. */
type FoundContent = { content: string | null; cut: boolean };

type UndoQuery = {
  path: string;
  sessionId: string;
  taskId?: string | undefined;
  /** A checkpoint to go back to instead of a turn. */
  checkpoint?: number | undefined;
  paths?: readonly string[] | undefined;
  /** Forks of the session that work in the same folder: what they changed since is taken back too. */
  forks?: readonly string[] | undefined;
};

export type UndoneTurn = Pick<Differences, 'files' | 'total'> & {
  before: CheckpointRecord;
  /** Number of the checkpoint whose files are back. */
  target: number;
  /** Files of the turn that somebody else has changed since, and that stay as they are. */
  kept: readonly string[];
};

/** A worktree and what its files say; `status` is null if they cannot be read. */
type ListedWorktree = { record: StoredWorkspace; status: WorkspaceStatus | null };

type FolderFacts = {
  /** Root of the repository; null for a folder without Git. */
  root: string | null;
  branch: string | null;
  /** True if the repository has a commit and a working tree. */
  canHaveWorktree: boolean;
  /** The place of sessions that choose none; null if the settings do not say, or cannot be used. */
  defaultKind: 'worktree' | 'in_place' | null;
};

type SettingsQuery = { id: string; user?: UserWorkspaceSettings | undefined };

/** Parts of a setup that take place where the operation was called, such as the script itself. */
export type SetUpCalls = Pick<SetUpAgainOptions, 'confine' | 'signal' | 'onStart' | 'onOutput'>;

type RemoveQuery = { id: string; force: boolean; user?: UserWorkspaceSettings | undefined };

type FinishQuery = {
  path: string;
  request: FinishRequest;
  /** State of the plan that the person has read. */
  state?: string | undefined;
  /** Decides which settings of the project are trusted. */
  user?: UserWorkspaceSettings | undefined;
};

/** Operations on the workspaces of this machine, with arguments and results that can be sent to another process. */
export type WorkspaceOperations = {
  changes(query: ChangesQuery): Promise<FoundChanges>;
  diff(query: DiffQuery): Promise<FoundPatch>;
  /** Reads a file of a tree. */
  content(query: ContentQuery): Promise<FoundContent>;
  checkpoints(query: { path: string; sessionId: string }): Promise<CheckpointRecord[]>;
  /** Ids of the sessions that have checkpoints in a folder. */
  sessions(query: { path: string }): Promise<string[]>;
  undo(query: UndoQuery): Promise<UndoneTurn>;
  fork(query: ForkQuery): Promise<StoredWorkspace>;
  inspect(query: { path: string; user?: UserWorkspaceSettings | undefined }): Promise<FolderFacts>;
  /** Records of all workspaces, whose files are not looked at. */
  records(): Promise<StoredWorkspace[]>;
  list(query: { ids: readonly string[]; now: number }): Promise<ListedWorktree[]>;
  /** The settings with the scripts of a worktree. */
  settings(query: SettingsQuery): Promise<ScriptSettings>;
  /** Runs the setup of a worktree again. */
  setUp(query: SettingsQuery, calls: SetUpCalls): Promise<void>;
  /** Removes a worktree, after its cleanup script; `user` decides which scripts are trusted. */
  remove(query: RemoveQuery): Promise<RemovedWorktree>;
  restore(query: { id: string }): Promise<StoredWorkspace>;
  /** Says what a finish would do. */
  planFinish(query: Omit<FinishQuery, 'state'>): Promise<FinishPlan>;
  /** Commits, merges, pushes or discards the work in a folder, with the hooks of its repository. */
  finish(query: FinishQuery): Promise<Finished>;
  /** Ends what killed programs began, and deletes what has expired. */
  tidy(query: { before: number }): Promise<Reconciled[]>;
};

/** The operations in this process. */
export function localOperations(home: WorkspaceHome): WorkspaceOperations {
  return {
    async changes({ path, ignoreSpace, ...comparison }) {
      const repository = await open(home, path);
      const found = await sessionChanges(repository, comparison, { ignoreSpace });
      const turns = await turnsByPath(repository, comparison.sessionId, found.to);
      return {
        ...found,
        root: repository.root,
        turns: [...turns].map(([path, tasks]) => ({ path, tasks })),
      };
    },
    async diff({ path, from, to, ...options }) {
      try {
        return { patch: await patchOf(await open(home, path), [from, to], options), cut: false };
      } catch (error) {
        if (BatonError.is(error) && error.code === 'too_large') return { patch: '', cut: true };
        throw error;
      }
    },
    async content({ path, tree, file, maxBytes }) {
      try {
        const found = await fileIn(await open(home, path), tree, file, { maxBytes });
        return { content: found?.toString('base64') ?? null, cut: false };
      } catch (error) {
        if (BatonError.is(error) && error.code === 'too_large') return { content: null, cut: true };
        throw error;
      }
    },
    async checkpoints({ path, sessionId }) {
      return (await checkpointsOf(await open(home, path), sessionId)).map(checkpointRecord);
    },
    async sessions({ path }) {
      const all = await listCheckpoints(await open(home, path));
      return [...new Set(all.flatMap(({ sessionId }) => sessionId ?? []))];
    },
    undo: (query) => undo(home, query),
    fork: (query) => forkWorktree(home, query),
    async inspect({ path, user }) {
      const found = placeOf(path);
      const head = found && found.kind !== 'bare' ? await readHead(home.git, found) : undefined;
      return {
        root: found?.root ?? null,
        branch: head?.branch ?? null,
        canHaveWorktree: head?.head !== undefined,
        defaultKind: await defaultIn(path, user),
      };
    },
    records: async () => home.files.list(),
    list: ({ ids, now }) => Promise.all(ids.map((id) => listed(home, id, now))),
    settings: ({ id, user }) => scriptSettings(home.files.get(id), user),
    async setUp(query, calls) {
      await setUpAgain({ home, ...query, ...calls });
    },
    remove: (query) => removeWorkspace({ home, ...query }),
    restore: ({ id }) => restoreWorktree({ ...home, id }),
    planFinish: ({ path, request, ...options }) => planFinish(home, path, request, options),
    finish: ({ path, request, ...options }) => finish(home, path, request, options),
    async tidy({ before }) {
      const done = await reconcile(home);
      await expireRemoved(home);
      await expireCheckpoints({ ...home, before });
      return done;
    },
  };
}

/** Opens the files of a session. */
function open(home: WorkspaceHome, path: string): Promise<PrivateRepository> {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return home.open(path);
  throw new BatonError('cwd_missing', `The folder of the session is gone: ${path}`, {
    hint: 'A removed workspace can be restored for 30 days: "baton workspaces restore".',
  });
}

async function undo(
  home: WorkspaceHome,
  { path, sessionId, taskId, checkpoint, paths, forks }: UndoQuery,
): Promise<UndoneTurn> {
  const repository = await open(home, path);
  if (checkpoint === undefined) {
    const { before, changes, target, kept } = await undoTurn(repository, {
      ...{ sessionId, taskId, paths, forks },
    });
    return { ...changes, before: checkpointRecord(before), target: target.number, kept };
  }
  const all = await checkpointsOf(repository, sessionId);
  const target = all.find(({ number }) => number === checkpoint);
  if (!target) throw new BatonError('not_found', `The session has no checkpoint ${checkpoint}.`);
  const { before, changes } = await restore(repository, {
    tree: target.tree,
    paths,
    note: { sessionId },
  });
  return { ...changes, before: checkpointRecord(before), target: target.number, kept: [] };
}

/** A mistake in the settings is reported by the turn that needs them. */
async function defaultIn(folder: string, user: UserWorkspaceSettings | undefined) {
  try {
    return (await loadWorkspaceSettings({ folder, user })).settings.default ?? null;
  } catch (error) {
    if (BatonError.is(error)) return null;
    throw error;
  }
}

function placeOf(path: string) {
  try {
    const found = findRepository(path);
    return isRepository(found) ? found : undefined;
  } catch (cause) {
    throw new BatonError('cwd_missing', `The folder does not exist: ${path}`, { cause });
  }
}

async function listed(home: WorkspaceHome, id: string, now: number): Promise<ListedWorktree> {
  const record = home.files.get(id);
  try {
    const found = await workspaceStatus(home, record, { now });
    const { ahead, behind, files, additions, deletions, bytes, losses } = found;
    const unsaved = losses.map(({ text }) => text);
    return {
      record: found.record,
      status: { ahead, behind, files, additions, deletions, bytes, unsaved },
    };
  } catch (error) {
    if (!BatonError.is(error)) throw error;
    return { record: { ...record, problem: error.message }, status: null };
  }
}
