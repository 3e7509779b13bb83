import { realpathSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, relative } from 'node:path';
import { isInside } from '@baton/config/paths/is-inside';
import {
  BatonError,
  type ChangeSummary,
  type CheckpointKind,
  type CheckpointRecord,
  type WorkspaceEvent,
  type WorkspaceRecord,
  type WorkspaceRequest,
  type WorkspaceState,
} from '@baton/protocol/values';
import type { ChangeReport } from '@baton/protocol/wire';
import { findRepository, isRepository, readHead } from '../git/repository.ts';
import type { WorkspaceSettings } from '../project/settings-schema.ts';
import {
  loadWorkspaceSettings,
  type UserWorkspaceSettings,
} from '../project/workspace-settings.ts';
import { workspaceVariables } from '../scripts/run-script.ts';
import { type Checkpoint, createCheckpoint } from '../snapshot/checkpoints.ts';
import type { PrivateRepository } from '../snapshot/private-repository.ts';
import { type Snapshot, type SnapshotGap, takeSnapshot } from '../snapshot/snapshot.ts';
import type { WorkspaceHome } from '../workspace-home.ts';
import { settledWorkspace } from '../worktree/reconcile.ts';
import { UserRepository } from '../worktree/user-repository.ts';
import type { StoredWorkspace } from '../worktree/workspace-files.ts';
import { changeReports } from './change-reports.ts';
import { FolderSessions } from './folder-sessions.ts';
import { newWorktree, trustLike } from './new-worktree.ts';
import { checkpointsOf, sessionChanges } from './session-changes.ts';
import { type RunSetup, setUpWorkspace } from './set-up-workspace.ts';

export type TurnOptions = {
  home: WorkspaceHome;
  sessionId: string;
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

/** A worktree in one of these states was made, but its setup has not ended well. */
const UNPREPARED: ReadonlySet<WorkspaceState> = new Set(['creating', 'setting_up', 'failed']);
/** Paths in an event; more of them are only counted. */
const MAX_PATHS = 200;
/** A change is looked for again after this multiple of the time that the last look took. */
const PAUSE_FACTOR = 20;
const MIN_PAUSE_MS = 2000;
/** Nobody wants to wait longer for an agent to start. */
const CHECKPOINT_MS = 30_000;

/**
 * One turn of an agent in its folder: the files are kept before and after it, and the change is reported while it works.
 * A folder whose files cannot be kept, because it is too large or Git is missing, does not stop the agent.
 */
export class Turn {
  #options: TurnOptions;
  #settings: WorkspaceSettings = {};
  #repository: PrivateRepository | undefined;
  #workspace: WorkspaceRecord | undefined;
  #sessions: FolderSessions;
  /** Ends the record of this session in its folder. */
  #leave: () => void = () => {};
  #lastSummary = '';
  /** Set from a request to look until the look has ended. */
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #nextLook = 0;
  #isEnded = false;

  private constructor(options: TurnOptions) {
    this.#options = options;
    this.#workspace = options.workspace;
    this.#sessions = new FolderSessions(options.home);
  }

  /**
   * Makes the workspace, if the session has none yet, and keeps the files before the agent gets the prompt. Rejects if
   * the workspace cannot be made: the agent must not work in another folder than the user chose.
   */
  static async begin(options: TurnOptions): Promise<Turn> {
    const turn = new Turn(options);
    // Nothing is to be kept, and the backend rejects such a folder with the reason.
    if (!isFolder(options.cwd) && !options.workspace) return turn;
    await turn.#enter();
    turn.#leave = turn.#sessions.enter(turn.cwd, options.sessionId);
    try {
      await turn.#try(() => turn.#begin());
    } catch (error) {
      turn.#leave();
      throw error;
    }
    return turn;
  }

  /** The folder that the agent works in. */
  get cwd(): string {
    const { kind, cwd } = this.#workspace ?? {};
    return kind === 'worktree' && cwd ? cwd : this.#options.cwd;
  }

  /** Variables for the agent. */
  get env(): Readonly<Record<string, string>> {
    if (this.#workspace?.kind !== 'worktree') return {};
    return { ...this.#settings.env, ...workspaceVariables(this.#workspace) };
  }

  /** Looks for changes soon, because the agent did something; never more often than the folder can bear. */
  progress(): void {
    if (this.#timer || this.#isEnded || !this.#repository) return;
    this.#timer = setTimeout(
      () => {
        this.#looking = this.#look();
      },
      Math.max(0, this.#nextLook - performance.now()),
    );
    // A process that has nothing else to do need not look.
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const started = performance.now();
    await this.#try(() => this.#report());
    const took = performance.now() - started;
    this.#nextLook = performance.now() + Math.max(MIN_PAUSE_MS, PAUSE_FACTOR * took);
    this.#timer = undefined;
  }

  /** Reports the present change to `onChanges`, because somebody wants to see it. */
  async refresh(): Promise<void> {
    const repository = this.#repository;
    if (this.#isEnded || !repository) return;
    await this.#try(async () => this.#reportChanges(await takeSnapshot(repository)));
  }

  /** Keeps the files after the agent has ended. */
  async end(): Promise<void> {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    await this.#looking;
    if (this.#repository) {
      await this.#try(async () => {
        const after = await this.#checkpoint('after');
        await this.#report(after);
        if (after) await this.#reportChanges(after, { isLast: true });
      });
    }
    this.#leave();
    if (this.#workspace?.kind !== 'worktree') return;
    const { workspace_id: id, path } = this.#workspace;
    // Another session may share the worktree.
    const state = this.#sessions.in(path).length > 0 ? 'in_use' : 'idle';
    await this.#update(this.#options.home.files.change(id, { state, used_at: now() }));
  }

  /** Takes the worktree of the session into use. */
  async #enter(): Promise<void> {
    const { home, cwd: source, signal } = this.#options;
    await this.#readSettings(this.#workspace?.repository ?? source);
    const request = this.#wanted();
    // Sessions that share a worktree wait until the first of them has made it and set it up.
    const id = request?.workspace_id;
    const unlock = id === undefined ? undefined : await home.files.lock(id, signal);
    try {
      if (request && !(await this.#joinWorktree(id))) await this.#createWorktree(request);
      await this.#prepareWorktree();
    } finally {
      unlock?.();
    }
  }

  async #prepareWorktree(): Promise<void> {
    const { home } = this.#options;
    if (this.#workspace?.kind !== 'worktree') return;
    const { workspace_id: id, cwd, path } = this.#workspace;
    if (!isFolder(cwd)) {
      throw new BatonError('cwd_missing', `The worktree of the session is gone: ${path}`, {
        hint: `If it was removed, restore it with "baton workspaces restore ${id}".`,
      });
    }
    const record = home.files.get(id);
    if (UNPREPARED.has(record.state)) await this.#setUp(record);
    await this.#update(home.files.change(id, { state: 'in_use', used_at: now() }));
  }

  /** The worktree to make: as requested, or as the project has it by default. */
  #wanted(): WorkspaceRequest | undefined {
    const { request, cwd } = this.#options;
    if (this.#workspace) return undefined;
    if (request) return request.kind === 'worktree' ? request : undefined;
    const canHave = isRepository(findRepository(cwd));
    return this.#settings.default === 'worktree' && canHave ? { kind: 'worktree' } : undefined;
  }

  /** Reads the settings of the project: only from the user's own folder, because the agent writes the worktree. */
  async #readSettings(folder: string): Promise<void> {
    if (!isFolder(folder)) return;
    const { user } = this.#options;
    const { settings, untrusted } = await loadWorkspaceSettings({ folder, user });
    this.#settings = settings;
    if (untrusted === undefined || this.#workspace) return;
    const message = `The workspace settings in ${untrusted} are not used, because the folder is not trusted. Trust it with "baton trust".`;
    await this.#options.onEvent({ type: 'notice', level: 'info', code: 'workspace', message });
  }

  async #setUp(record: StoredWorkspace): Promise<void> {
    const { home, onEvent, runSetup, signal } = this.#options;
    const source = record.repository ?? this.#options.cwd;
    const settings = this.#settings;
    if (settings.setup) await this.#update({ ...record, state: 'setting_up' });
    try {
      await setUpWorkspace({ home, record, settings, source, onEvent, runSetup, signal });
    } catch (error) {
      await this.#update(home.files.get(record.workspace_id));
      throw error;
    }
  }

  /** Uses the worktree with an id that the caller chose; false if it is not there yet. */
  async #joinWorktree(id: string | undefined): Promise<boolean> {
    const { home, cwd } = this.#options;
    const record = id === undefined ? undefined : await settledWorkspace(home, id);
    if (!record) return false;
    const { place, mainRoot } = UserRepository.find(home.git, cwd);
    if (record.repository !== mainRoot) {
      throw new BatonError('usage', `${record.path} is a worktree of another repository.`, {
        hint: `Give the worktree of ${mainRoot} another name.`,
      });
    }
    const folder = join(record.path, relative(place.root, realpathSync(cwd)));
    this.#workspace = { ...publicRecord(record), cwd: isFolder(folder) ? folder : record.path };
    return true;
  }

  async #createWorktree(request: WorkspaceRequest): Promise<void> {
    const { workspace_id, name, base, with_changes } = request;
    const { home, cwd, prompt, sessionId, createdBy, onEvent, signal } = this.#options;
    const { record, notices } = await newWorktree({
      home,
      settings: this.#settings,
      source: cwd,
      id: workspace_id,
      name: name ?? prompt,
      base,
      withChanges: with_changes,
      sessionId,
      createdBy,
      signal,
    });
    const { onWorktree = (path: string) => trustLike(cwd, path) } = this.#options;
    onWorktree(record.path);
    await this.#update(record);
    for (const { text: message } of notices) {
      await onEvent({ type: 'notice', level: 'warning', code: 'workspace', message });
    }
  }

  async #update(record: StoredWorkspace): Promise<void> {
    // Sessions that share a worktree may start in different folders of it.
    const { cwd = record.cwd } = this.#workspace ?? {};
    this.#workspace = { ...publicRecord(record), cwd };
    await this.#options.onEvent({ type: 'workspace.updated', workspace: this.#workspace });
  }

  async #begin(): Promise<void> {
    const { home, sessionId, ownFolders = [] } = this.#options;
    // The secrets of a daemon would be copied, and its database changes all the time.
    if ([home.stateFolder, ...ownFolders].some((each) => isInside(this.cwd, each))) return;
    this.#repository = await home.open(this.cwd);
    const isFirst = (await checkpointsOf(this.#repository, sessionId)).length === 0;
    if (!this.#workspace) {
      this.#workspace = await this.#inPlace();
      await this.#options.onEvent({ type: 'workspace.updated', workspace: this.#workspace });
    }
    await this.#checkpoint(isFirst ? 'start' : 'before');
  }

  /** The record of a session that works in the user's own folder. */
  async #inPlace(): Promise<WorkspaceRecord> {
    const { home, cwd, sessionId, createdBy } = this.#options;
    const found = findRepository(cwd);
    const place = isRepository(found) ? found : undefined;
    const facts = place && (await readHead(home.git, place));
    const time = now();
    return {
      workspace_id: sessionId,
      kind: place ? 'in_place' : 'folder',
      state: 'in_use',
      host: hostname(),
      repository: place?.root ?? null,
      path: place?.root ?? cwd,
      cwd,
      branch: facts?.branch ?? null,
      base_ref: facts?.branch ?? null,
      base_commit: facts?.head ?? null,
      session_id: sessionId,
      created_by: createdBy ?? null,
      created_at: time,
      used_at: time,
      ports: {},
      setup: null,
      removed: null,
      problem: null,
    };
  }

  async #checkpoint(kind: CheckpointKind): Promise<Checkpoint | undefined> {
    const { home, sessionId, taskId, prompt, onEvent } = this.#options;
    const repository = this.#repository;
    if (!repository) return undefined;
    const head = repository.source && (await readHead(home.git, repository.source));
    const note = { kind, sessionId, taskId, prompt: prompt && firstLine(prompt), ...head };
    const signal = AbortSignal.timeout(CHECKPOINT_MS);
    const made = await createCheckpoint(repository, note, { signal });
    await onEvent({ type: 'checkpoint.created', checkpoint: checkpointRecord(made) });
    if (kind === 'start') await this.#tellGaps(made);
    return made;
  }

  async #tellGaps({ gaps }: Checkpoint): Promise<void> {
    for (const gap of gaps) {
      const message = gapWords(gap);
      await this.#options.onEvent({ type: 'notice', level: 'warning', code: 'workspace', message });
    }
  }

  /** Reports the change against the base, if it is another one than before. */
  async #report(given?: Snapshot): Promise<void> {
    const { sessionId, onEvent } = this.#options;
    const repository = this.#repository;
    if (!repository) return;
    const now = given ?? (await takeSnapshot(repository));
    const { kind, base_commit: baseCommit } = this.#workspace ?? {};
    const { files, total, additions, deletions } = await sessionChanges(
      repository,
      // Uncommitted work of the user is no change of the agent.
      { compare: kind === 'worktree' ? 'base' : 'session', sessionId, baseCommit },
      { now },
    );
    const paths = files.slice(0, MAX_PATHS).map(({ path }) => path);
    const changes: ChangeSummary = { files: total, additions, deletions, paths };
    const summary = JSON.stringify(changes);
    if (summary === this.#lastSummary) return;
    if (total === 0 && this.#lastSummary === '') return;
    this.#lastSummary = summary;
    await onEvent({ type: 'changes.updated', changes });
    if (!given) await this.#reportChanges(now);
  }

  async #reportChanges(now: Snapshot, { isLast = false } = {}): Promise<void> {
    const { sessionId, taskId, onChanges, onEvent } = this.#options;
    if (!onChanges || !this.#repository) return;
    const { base_commit: baseCommit } = this.#workspace ?? {};
    const query = { sessionId, taskId, baseCommit, now };
    const reports = await changeReports(this.#repository, query);
    await onChanges(reports);
    if (!isLast || reports.every(({ patch }) => patch !== null)) return;
    const message = `The change is larger than 2 MB, so its lines can be shown only on ${hostname()}, with "baton diff".`;
    await onEvent({ type: 'notice', level: 'info', code: 'workspace', message });
  }

  /** A turn goes on without its checkpoints; the reason is part of its log. */
  async #try(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (!BatonError.is(error) && !isSystemError(error)) throw error;
      if (error.code === 'interrupted') return;
      this.#repository = undefined;
      const message = `The files of this turn are not kept, so it cannot be undone: ${error.message}`;
      // A home folder is a usual place for a question, and nothing there is to be undone.
      const level = error.code === 'too_large' ? 'info' : 'warning';
      await this.#options.onEvent({ type: 'notice', level, code: 'workspace', message });
    }
  }
}

const GAP_WORDS = {
  too_large: ['large file is', 'large files are'],
  too_many: ['new file is', 'new files are'],
  nested: ['nested repository is', 'nested repositories are'],
  unreadable: ['file that cannot be read is', 'files that cannot be read are'],
} as const;

function gapWords({ kind, count, paths: [path = ''] }: SnapshotGap): string {
  const [one, many] = GAP_WORDS[kind];
  const hint = kind === 'too_many' ? ' Exclude generated files with .gitignore.' : '';
  return `${count} ${count === 1 ? one : many} not part of checkpoints, such as ${path}.${hint}`;
}

/** Characters of a prompt by which a person knows the turn. */
const MAX_PROMPT = 100;

function firstLine(prompt: string): string {
  const line = prompt.split('\n').find((each) => each.trim() !== '') ?? '';
  const text = line.trim();
  return text.length > MAX_PROMPT ? `${text.slice(0, MAX_PROMPT)}…` : text;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** True for errors of the file system, such as a folder that may not be read. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

function now(): string {
  return new Date().toISOString();
}

/** A record without the fields that only its machine uses. */
export function publicRecord(record: StoredWorkspace): WorkspaceRecord {
  const { owner: _owner, pending: _pending, group: _group, git_dir: _gitDir, ...shown } = record;
  const { adopted: _adopted, ...workspace } = shown;
  return workspace;
}

/** A checkpoint as events and services show it. */
export function checkpointRecord(checkpoint: Checkpoint): CheckpointRecord {
  const { number, id, tree, kind, sessionId, taskId, prompt, head, branch, time, gaps } =
    checkpoint;
  return {
    number,
    id,
    tree,
    kind,
    session_id: sessionId ?? null,
    task_id: taskId ?? null,
    prompt: prompt ?? null,
    head: head ?? null,
    branch: branch ?? null,
    created_at: new Date(time).toISOString(),
    gaps: gaps.map((gap) => ({ ...gap, paths: [...gap.paths] })),
  };
}
