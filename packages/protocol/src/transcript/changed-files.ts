import type { FileChange } from '../action.ts';
import type { Entry } from './entry.ts';
import { toolEntryKey } from './entry-key.ts';
import { type LineCounts, lineCounts } from './line-counts.ts';

/** One change of a file, and its position in the transcript. */
export type ChangePiece = LineCounts & {
  cursor: number;
  taskId?: string | undefined;
  kind: FileChange['kind'];
  diff?: string | undefined;
  /** The diff is truncated or omitted; the entry has the whole diff. */
  cut: boolean;
};

/** A file that a session changed, by its last name. */
export type ChangedFile = LineCounts & {
  path: string;
  /** The original name if it was renamed. */
  oldPath?: string | undefined;
  /** The net change. */
  kind: FileChange['kind'];
  pieces: ChangePiece[];
};

export type ChangeLimits = {
  /** Maximum characters kept of one diff. */
  diff: number;
  /** Maximum characters kept of all diffs. */
  all: number;
};

const LIMITS: ChangeLimits = { diff: 200_000, all: 2_000_000 };

type Known = Omit<ChangedFile, keyof LineCounts>;

/** Collects the changed files of a session from its entries, in order. */
export class ChangedFiles {
  #cwd: string;
  #limits: ChangeLimits;
  #files = new Map<string, Known>();
  /** The changes that tools reported, by the keys of their entries. */
  #told = new Map<string, Set<string>>();
  #kept = 0;

  /** Paths inside the session folder are relative to it. */
  constructor(cwd: string, limits: ChangeLimits = LIMITS) {
    this.#cwd = cwd;
    this.#limits = limits;
  }

  /** Adds the next entry; entries that change no file, or failed, are ignored. */
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
    // A `file.changed` that repeats the change of a tool is ignored.
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
    // A file that had the new name before is replaced, and its changes are merged.
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
  // A new file that is overwritten as a whole keeps nothing of its earlier content.
  const last = kind === 'add' ? pieces.findLastIndex((piece) => piece.kind === 'add') : 0;
  return pieces.slice(Math.max(last, 0)).reduce((all, piece) => all + piece[count], 0);
}

/** The net effect of two changes of a file. */
function together(before: FileChange['kind'], after: FileChange['kind']): FileChange['kind'] {
  if (after === 'delete') return 'delete';
  if (before === 'delete') return 'edit';
  // An added file stays added, and a renamed one stays renamed, whatever follows.
  if (before === 'add' || before === 'rename') return before;
  return after === 'rename' ? 'rename' : 'edit';
}
