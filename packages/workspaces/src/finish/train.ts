import { BatonError, type ErrorInfo, errorInfo, type MergeMethod } from '@baton/protocol/values';
import { setUpAgain } from '../lifecycle/set-up-again.ts';
import { scriptSettings } from '../lifecycle/workspace-scripts.ts';
import { LastLines } from '../scripts/last-lines.ts';
import { type RunScriptOptions, runScript } from '../scripts/run-script.ts';
import { scriptEnvironment } from '../scripts/script-environment.ts';
import type { WorkspaceHome } from '../workspace-home.ts';
import { createWorktree } from '../worktree/create-worktree.ts';
import { FolderSessions } from '../worktree/folder-sessions.ts';
import { removeWorktree } from '../worktree/remove-worktree.ts';
import { HEADS, UserRepository } from '../worktree/user-repository.ts';
import type { StoredWorkspace } from '../worktree/workspace-files.ts';
import { isInUse } from '../worktree/workspace-use.ts';
import { finish, planFinish } from './finish.ts';
import { finishPlace } from './finish-place.ts';
import { personGit } from './person-git.ts';

/** The state of a branch in a merge train. */
type TrainState =
  | 'waiting'
  | 'merging'
  | 'checking'
  | 'merged'
  /** Both sides changed the same lines; `conflicts` has the files. */
  | 'conflict'
  /** The check command failed on the merged result. */
  | 'red'
  /** It could not be merged; `error` has the reason. */
  | 'failed';

export type TrainEntry = {
  /** Folder of the worktree. */
  path: string;
  state: TrainState;
  /** The commit that the target moved to. */
  commit?: string | undefined;
  conflicts?: readonly string[] | undefined;
  error?: ErrorInfo | undefined;
  /** The last lines of the check command. */
  output?: readonly string[] | undefined;
};

type TrainRequest = {
  /** Folders of the worktrees, in the order in which they are merged. */
  paths: readonly string[];
  /** The branch that gets all of them. */
  target: string;
  method: MergeMethod;
  /** A command line that must succeed on each merged result. */
  check?: string | undefined;
  /** Milliseconds that it may take. */
  checkTimeoutMs?: number | undefined;
};

type TrainOptions = Pick<RunScriptOptions, 'confine' | 'signal'> & {
  /** Called with each new state of an entry. */
  onEntry(entry: TrainEntry): void;
  /** Called with each line that hooks, the setup and the check print. */
  onLine?: RunScriptOptions['onLine'] | undefined;
};

/** Maker of the worktrees for checks, by which those of killed programs are found. */
const MAKER = 'merge train';
const CHECK_TIMEOUT_MS = 1_800_000;
/** Tries of an entry whose target somebody else moves meanwhile. */
const TRIES = 3;
const OUTPUT_LINES = 20;

/**
 * Merges several branches into one, one after another; each is merged with what the ones before it brought. A conflict or a
 * failed check leaves out that branch only. Work that the target already has is not merged again, so that a train whose
 * program was killed can be started once more.
 */
export async function runTrain(
  home: WorkspaceHome,
  request: TrainRequest,
  options: TrainOptions,
): Promise<readonly TrainEntry[]> {
  const train = new Train(home, request, options);
  await removeLeftovers(home);
  const done: TrainEntry[] = [];
  try {
    for (const path of request.paths) {
      if (options.signal?.aborted) done.push({ path, state: 'waiting' });
      else done.push(await train.merge(path));
    }
    return done;
  } finally {
    await train.close();
  }
}

/** Removes the worktrees of trains whose programs were killed. */
async function removeLeftovers({ git, files }: WorkspaceHome): Promise<void> {
  for (const record of files.list()) {
    const { workspace_id: id, created_by, state } = record;
    if (created_by !== MAKER || state === 'removed' || isInUse(files, record)) continue;
    await removeWorktree({ git, files, id, force: true, deleteBranch: true });
  }
}

class Train {
  #home: WorkspaceHome;
  #request: TrainRequest;
  #options: TrainOptions;
  /** The worktree in which merged results are checked; made for the first of them. */
  #place: StoredWorkspace | undefined;
  /** Ends the use of that worktree. */
  #leave = () => {};

  constructor(home: WorkspaceHome, request: TrainRequest, options: TrainOptions) {
    this.#home = home;
    this.#request = request;
    this.#options = options;
  }

  async merge(path: string): Promise<TrainEntry> {
    const tell = (entry: Omit<TrainEntry, 'path'>) => {
      const told = { path, ...entry };
      this.#options.onEntry(told);
      return told;
    };
    tell({ state: 'merging' });
    for (let tries = 1; ; tries += 1) {
      const tip = await this.#tip(path);
      try {
        return tell(await this.#try(path, () => tell({ state: 'checking' })));
      } catch (error) {
        if (!BatonError.is(error) || error.code === 'interrupted') throw error;
        const hasMoved = tip !== (await this.#tip(path));
        if (!hasMoved || tries === TRIES) return tell({ state: 'failed', error: error.toJSON() });
      }
    }
  }

  async #try(path: string, onCheck: () => void): Promise<Omit<TrainEntry, 'path'>> {
    const { target, method } = this.#request;
    const { onLine, signal } = this.#options;
    const before = await this.#mergedBefore(path);
    if (before) return { state: 'merged', commit: before };
    const request = { action: 'merge', method, into: target } as const;
    const { merge } = await planFinish(this.#home, path, request);
    if (merge && merge.conflicts.length > 0) {
      return { state: 'conflict', conflicts: merge.conflicts };
    }
    let red: Omit<TrainEntry, 'path'> | undefined;
    const check = async (commit: string) => {
      onCheck();
      red = await this.#check(commit, path);
      if (red) throw new BatonError('conflict', 'The check failed.');
    };
    try {
      const { merged } = await finish(this.#home, path, request, {
        ...{ onLine, signal },
        ...(this.#request.check === undefined ? {} : { check }),
      });
      return { state: 'merged', commit: merged?.commit };
    } catch (error) {
      if (red) return red;
      throw error;
    }
  }

  /** The commit of an earlier merge into the target, if nothing was done in the folder since. */
  async #mergedBefore(path: string): Promise<string | undefined> {
    const { record, repository, head, changes } = await finishPlace(this.#home, path);
    const merged = record?.merged;
    if (!merged || merged.target !== this.#request.target || merged.head !== head) return undefined;
    if (changes.total > 0) return undefined;
    const isThere = await repository.hasCommit(`${HEADS}${merged.target}`, merged.commit);
    return isThere ? merged.commit : undefined;
  }

  #tip(path: string): Promise<string | undefined> {
    const repository = UserRepository.find(this.#home.git, path);
    return repository.commitOf(`${HEADS}${this.#request.target}`);
  }

  /** Runs the check command on a merged result; returns what is wrong with it. */
  async #check(commit: string, source: string): Promise<Omit<TrainEntry, 'path'> | undefined> {
    const { check = '', checkTimeoutMs = CHECK_TIMEOUT_MS } = this.#request;
    const { onLine, confine, signal } = this.#options;
    const record = await this.#placeFor(commit, source);
    const lines = new LastLines();
    const { settings } = await scriptSettings(record);
    const { exitCode, stopped } = await runScript({
      script: check,
      workspace: record,
      env: await scriptEnvironment(settings.env, this.#home.inherited),
      timeoutMs: checkTimeoutMs,
      confine,
      signal,
      onLine(line, stream) {
        lines.push(line);
        onLine?.(line, stream);
      },
    });
    if (stopped === 'aborted') throw new BatonError('interrupted', 'The check was stopped.');
    if (exitCode === 0) return undefined;
    const words =
      stopped === 'timeout'
        ? `The check was stopped after ${checkTimeoutMs / 1000} s.`
        : `The check exited with ${exitCode ?? 'a signal'}.`;
    return {
      state: 'red',
      error: errorInfo('conflict', words, { hint: 'Nothing was merged from this branch.' }),
      output: lines.list(OUTPUT_LINES),
    };
  }

  /** A prepared worktree with the files of a commit. */
  async #placeFor(commit: string, source: string): Promise<StoredWorkspace> {
    const { git, files, folder } = this.#home;
    const { onLine, confine, signal } = this.#options;
    if (!this.#place) {
      const { place } = UserRepository.find(git, source);
      const made = await createWorktree({
        ...{ git, files, folder, signal },
        source: place.root,
        name: `train-${this.#request.target}`,
        base: commit,
        createdBy: MAKER,
      });
      this.#place = made.record;
      const { settings } = await scriptSettings(made.record);
      if (settings.setup !== undefined) {
        const onOutput = (text: string) => {
          for (const line of text.replace(/\n$/, '').split('\n')) onLine?.(line, 'stdout');
        };
        const { workspace_id: id } = made.record;
        this.#place = await setUpAgain({ home: this.#home, id, onOutput, confine, signal });
      }
      const { path, workspace_id } = this.#place;
      this.#leave = new FolderSessions(this.#home).enter(path, workspace_id);
      return this.#place;
    }
    const { path: cwd } = this.#place;
    // What an earlier check has built stays, unless Git knows or sees it.
    await personGit(['checkout', '--quiet', '--force', '--detach', commit], { cwd, signal });
    await personGit(['clean', '--quiet', '--force', '-d'], { cwd, signal });
    return this.#place;
  }

  /** Removes the worktree of the checks. */
  async close(): Promise<void> {
    this.#leave();
    if (!this.#place) return;
    const { git, files } = this.#home;
    const { workspace_id: id } = this.#place;
    await removeWorktree({ git, files, id, force: true, deleteBranch: true });
  }
}
