import type { FileChange } from '../action.ts';
import type { Entry } from './entry.ts';
import { toolEntryKey } from './entry-key.ts';
import { type LineCounts, lineCounts } from './line-counts.ts';

/** One change of a file, and where the transcript tells of it. */
export type ChangePiece = LineCounts & {
  cursor: number;
  taskId?: string | undefined;
  kind: FileChange['kind'];
  diff?: string | undefined;
  /** Only the beginning of the diff is here, or nothing of it; the entry has all. */
  cut: boolean;
};

/** A file that a session changed, by its last name. */
export type ChangedFile = LineCounts & {
  path: string;
  /** The name that it had at first, where it was renamed. */
  oldPath?: string | undefined;
  /** What became of it in all. */
  kind: FileChange['kind'];
  pieces: ChangePiece[];
};

export type ChangeLimits = {
  /** So many characters of one diff are kept. */
  diff: number;
  /** So many characters of all diffs are kept. */
  all: number;
};

const LIMITS: ChangeLimits = { diff: 200_000, all: 2_000_000 };

type Known = Omit<ChangedFile, keyof LineCounts>;

/** Collects from entries, in their order, which files a session says it changed. */
export class ChangedFiles {
  #cwd: string;
  #limits: ChangeLimits;
  #files = new Map<string, Known>();
  /** What tools have said of files, by the keys of their entries. */
  #told = new Map<string, Set<string>>();
  #kept = 0;

  /** Paths in the folder of the session are shown from there on. */
  constructor(cwd: string, limits: ChangeLimits = LIMITS) {
    this.#cwd = cwd;
    this.#limits = limits;
  }

  /** Takes the next entry; those that change no file, or failed to, do not count. */
  take(entry: Entry): void {
    if (entry.kind === 'tool' && entry.action.type === 'file.edit' && entry.outcome === 'ok') {
      const changes = entry.action.changes.map((change) => this.#placed(change));
      this.#told.set(
        entry.key,
        new Set(changes.flatMap(({ path, newPath = path }) => [path, newPath])),
      );
      for (const change of changes) this.#add(entry, change);
    }
    if (entry.kind !== 'file') return;
    const change = this.#placed(entry.change);
    // What a tool has said already is not said again by the news of its file.
    const tool = toolEntryKey(entry.taskId ?? '', entry.callId ?? '');
    if (!this.#told.get(tool)?.has(change.path)) this.#add(entry, change);
  }

  /** The files, in the order in which they were first changed. */
  list(): ChangedFile[] {
    const first = ({ pieces }: Known) => pieces[0]?.cursor ?? 0;
    return [...this.#files.values()]
      .sort((one, other) => first(one) - first(other))
      .map((file) => ({ ...file, added: sum(file, 'added'), removed: sum(file, 'removed') }));
  }

  #add({ cursor, taskId }: Entry, change: FileChange): void {
    const { kind, diff } = change;
    const before = this.#files.get(change.path);
    const path = change.newPath ?? change.path;
    // What had the new name before is replaced, and its changes are told along.
    const replaced = path === change.path ? undefined : this.#files.get(path);
    const pieces = before?.pieces ?? [];
    if (replaced) {
      pieces.push(...replaced.pieces);
      pieces.sort((one, other) => one.cursor - other.cursor);
    }
    pieces.push({ cursor, taskId, kind, ...lineCounts(change), ...this.#bounded(diff) });
    const oldPath = before?.oldPath ?? (path === change.path ? undefined : change.path);
    if (path !== change.path) this.#files.delete(change.path);
    const inAll = before ? together(before.kind, kind) : kind;
    this.#files.set(path, { path, oldPath, kind: inAll, pieces });
  }

  #bounded(diff: string | undefined): Pick<ChangePiece, 'diff' | 'cut'> {
    if (diff === undefined) return { cut: false };
    const room = Math.min(this.#limits.diff, this.#limits.all - this.#kept);
    if (diff.length <= room) {
      this.#kept += diff.length;
      return { diff, cut: false };
    }
    const fitting = diff.slice(0, room);
    const beginning = fitting.slice(0, fitting.lastIndexOf('\n') + 1);
    this.#kept += beginning.length;
    return { diff: beginning, cut: true };
  }

  #placed(change: FileChange): FileChange {
    const { path, newPath } = change;
    return {
      ...change,
      path: this.#inFolder(path),
      newPath: newPath === undefined ? undefined : this.#inFolder(newPath),
    };
  }

  #inFolder(path: string): string {
    const folder = this.#cwd.endsWith('/') ? this.#cwd : `${this.#cwd}/`;
    const inside = path.startsWith(folder) ? path.slice(folder.length) : path;
    return inside.replace(/^(\.\/+)+/, '');
  }
}

function sum({ kind, pieces }: Known, count: keyof LineCounts): number {
  // A new file that is written once more as a whole has nothing of what it had before.
  const last = kind === 'add' ? pieces.findLastIndex((piece) => piece.kind === 'add') : 0;
  return pieces.slice(Math.max(last, 0)).reduce((all, piece) => all + piece[count], 0);
}

/** What two changes of a file come to. */
function together(before: FileChange['kind'], after: FileChange['kind']): FileChange['kind'] {
  if (after === 'delete') return 'delete';
  if (before === 'delete') return 'edit';
  // A new file stays new, and one that has another name keeps it, whatever else is done to it.
  if (before === 'add' || before === 'rename') return before;
  return after === 'rename' ? 'rename' : 'edit';
}
