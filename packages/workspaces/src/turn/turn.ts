import { hostname } from 'node:os';
import { isInside } from '@baton/config/paths/is-inside';
import {
  BatonError,
  type ChangeSummary,
  type CheckpointKind,
  shortened,
} from '@baton/protocol/values';
import { readHead } from '../git/repository.ts';
import {
  type Checkpoint,
  checkpointRecord,
  createCheckpoint,
  listCheckpoints,
  newestCheckpoint,
} from '../snapshot/checkpoints.ts';
import type { PrivateRepository } from '../snapshot/private-repository.ts';
import { type Snapshot, type SnapshotGap, takeSnapshot } from '../snapshot/snapshot.ts';
import { isFolder, TurnFolder } from './turn-folder.ts';
import type { TurnOptions } from './turn-options.ts';

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
  #folder: TurnFolder;
  #repository: PrivateRepository | undefined;
  /** The checkpoints of the folder at the start of the turn, and those of the turn. */
  #known: readonly Checkpoint[] = [];
  #lastSummary = '';
  /** Set from a request to look until the look has ended. */
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #nextLook = 0;
  #isEnded = false;
  #begun = Promise.resolve();

  private constructor(options: TurnOptions) {
    this.#options = options;
    this.#folder = new TurnFolder(options);
  }

  /**
   * Makes the workspace, if the session has none yet, and keeps the files before the agent gets the prompt. Rejects if
   * the workspace cannot be made: the agent must not work in another folder than the user chose.
   */
  static async begin(options: TurnOptions): Promise<Turn> {
    const turn = await Turn.enter(options);
    try {
      await turn.begun;
    } catch (error) {
      await turn.#folder.leave();
      throw error;
    }
    return turn;
  }

  /** Makes the workspace like `begin`, but returns while the files are being kept; they are when `begun` settles. */
  static async enter(options: TurnOptions): Promise<Turn> {
    const turn = new Turn(options);
    // Nothing is to be kept, and the backend rejects such a folder with the reason.
    if (!isFolder(options.cwd) && !options.workspace) return turn;
    await turn.#folder.enter();
    turn.#begun = turn.#keepFirst();
    // Callers that need it wait for it and get its error; a turn may also end before that.
    turn.#begun.catch(() => {});
    return turn;
  }

  /** Settles when the files at the start of the turn are kept, or cannot be: from then on the agent may act. */
  get begun(): Promise<void> {
    return this.#begun;
  }

  /** The folder that the agent works in. */
  get cwd(): string {
    return this.#folder.cwd;
  }

  /** Variables for the agent. */
  get env(): Readonly<Record<string, string>> {
    return this.#folder.env;
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
    await this.#begun.catch(() => {});
    await this.#looking;
    if (this.#repository) {
      await this.#try(async () => {
        const after = await this.#checkpoint('after');
        await this.#report(after);
        if (after) await this.#reportChanges(after, { isLast: true });
      });
    }
    await this.#folder.leave();
  }

  /** Keeps the files at the start of the turn, or reports why they cannot be kept. */
  async #keepFirst(): Promise<void> {
    const problem = await this.#try(() => this.#begin());
    if (problem) await this.#folder.reportInPlace(problem);
  }

  async #begin(): Promise<void> {
    const { home, sessionId, isNew = false, ownFolders = [] } = this.#options;
    // The secrets of a daemon would be copied, and its database changes all the time.
    if ([home.stateFolder, ...ownFolders].some((each) => isInside(this.cwd, each))) {
      const problem = `${this.cwd} contains the data of Baton, so its files are not compared.`;
      return this.#folder.reportInPlace(problem);
    }
    this.#repository = await home.open(this.cwd);
    const signal = AbortSignal.timeout(CHECKPOINT_MS);
    const [known, snapshot] = await Promise.all([
      isNew ? newestIn(this.#repository) : listCheckpoints(this.#repository),
      takeSnapshot(this.#repository, { signal }),
    ]);
    this.#known = known;
    const isFirst = !known.some((each) => each.sessionId === sessionId);
    await this.#folder.reportInPlace();
    await this.#checkpoint(isFirst ? 'start' : 'before', snapshot);
  }

  async #checkpoint(kind: CheckpointKind, snapshot?: Snapshot): Promise<Checkpoint | undefined> {
    const { home, sessionId, taskId, prompt, onEvent } = this.#options;
    const repository = this.#repository;
    if (!repository) return undefined;
    const head = repository.source && (await readHead(home.git, repository.source));
    const note = { kind, sessionId, taskId, prompt: prompt && firstLine(prompt), ...head };
    const signal = AbortSignal.timeout(CHECKPOINT_MS);
    const known = this.#known;
    const made = await createCheckpoint(repository, note, { signal, snapshot, known });
    this.#known = [...known, made];
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
    const { kind, base_commit: baseCommit } = this.#folder.workspace ?? {};
    const isWorktree = kind === 'worktree';
    const first = this.#known.find((each) => each.sessionId === sessionId);
    const isSame = !isWorktree && this.#lastSummary === '' && first?.tree === now.tree;
    if (isSame) return;
    const { sessionChanges } = await import('./session-changes.ts');
    const { files, total, additions, deletions } = await sessionChanges(
      repository,
      // Uncommitted work of the user is no change of the agent.
      { compare: isWorktree ? 'base' : 'session', sessionId, baseCommit },
      { now, known: this.#known },
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
    const { base_commit: baseCommit } = this.#folder.workspace ?? {};
    const query = { sessionId, taskId, baseCommit, now };
    const { changeReports } = await import('./change-reports.ts');
    const reports = await changeReports(this.#repository, query);
    await onChanges(reports);
    if (!isLast || reports.every(({ patch }) => patch !== null)) return;
    const message = `The change is larger than 2 MB, so its lines can be shown only on ${hostname()}, with "baton diff".`;
    await onEvent({ type: 'notice', level: 'info', code: 'workspace', message });
  }

  /** Returns the reason if it fails: a turn goes on without its checkpoints, and the reason is part of its log. */
  async #try(act: () => Promise<void>): Promise<string | undefined> {
    try {
      await act();
      return undefined;
    } catch (error) {
      if (!BatonError.is(error) && !isSystemError(error)) throw error;
      if (error.code === 'interrupted') return undefined;
      this.#repository = undefined;
      const message = `The files of this turn are not kept, so it cannot be undone: ${error.message}`;
      // A home folder is a usual place for a question, and nothing there is to be undone.
      const level = error.code === 'too_large' ? 'info' : 'warning';
      await this.#options.onEvent({ type: 'notice', level, code: 'workspace', message });
      return `The files of this session are not compared: ${error.message}`;
    }
  }
}

async function newestIn(repository: PrivateRepository): Promise<Checkpoint[]> {
  const newest = await newestCheckpoint(repository);
  return newest ? [newest] : [];
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
  return shortened(line.trim(), MAX_PROMPT);
}

/** True for errors of the file system, such as a folder that may not be read. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
