import type { FileDifference } from '@baton/protocol';
import { BatonError } from '@baton/protocol/values';
import { refuseHugeTree } from '../git/refuse-huge-tree.ts';
import type { PrivateRepository } from './private-repository.ts';
import { splitAtNul } from './split-at-nul.ts';

export type Differences = {
  files: readonly FileDifference[];
  /** Number of changed files, of which `files` may have only the first. */
  total: number;
  additions: number;
  deletions: number;
};

export type DifferenceOptions = {
  /** Number of files to return. */
  maxFiles?: number | undefined;
  /** True to ignore changes of white space. */
  ignoreSpace?: boolean | undefined;
  signal?: AbortSignal | undefined;
};

const MAX_FILES = 5000;
/** Files that are held in memory when all of them are asked for. */
const MAX_ALL = 500_000;
const RENAMES = ['-M', '-l1000'];
const LINK = '120000';
const SUBMODULE = '160000';

/** Compares two trees. No setting and no program of the user's repository takes part. */
export async function differences(
  repository: PrivateRepository,
  [from, to]: readonly [string, string],
  { maxFiles = MAX_FILES, ignoreSpace, signal }: DifferenceOptions = {},
): Promise<Differences> {
  if (from === to) return { files: [], total: 0, additions: 0, deletions: 0 };
  await refuseHugeTree(repository.git, repository.objects({ signal }), from);
  const found = new DifferenceReader(Math.min(maxFiles, MAX_ALL));
  await repository.git.run(
    ['diff-tree', '-r', '-z', '--raw', '--numstat', ...RENAMES, ...spaces(ignoreSpace), from, to],
    repository.objects({ signal, onOutput: found.push }),
  );
  if (maxFiles > MAX_ALL && found.total > MAX_ALL) {
    const limit = MAX_ALL.toLocaleString('en-US');
    throw new BatonError('too_large', `More than ${limit} files differ.`, {
      hint: 'Baton does not bring back so many at once.',
    });
  }
  const { files, total, additions, deletions } = found;
  return { files, total, additions, deletions };
}

type PatchOptions = {
  /** The files to show; all by default. */
  files?: readonly Pick<FileDifference, 'path' | 'old_path'>[] | undefined;
  contextLines?: number | undefined;
  ignoreSpace?: boolean | undefined;
  /** True to include the content of binary files, so that the patch can be applied. */
  isBinary?: boolean | undefined;
  maxBytes?: number | undefined;
  signal?: AbortSignal | undefined;
};

/** The difference of two trees as a patch; rejects with `too_large` beyond the limit. */
export async function patchOf(
  repository: PrivateRepository,
  [from, to]: readonly [string, string],
  { files = [], contextLines = 3, ignoreSpace, isBinary, maxBytes, signal }: PatchOptions = {},
): Promise<string> {
  const paths = files.flatMap(({ path, old_path }) => (old_path ? [old_path, path] : [path]));
  const flags = ['-p', '--no-ext-diff', '--no-textconv', '--no-color', `-U${contextLines}`];
  if (isBinary) flags.push('--binary', '--full-index');
  const { text } = await repository.git.run(
    ['diff-tree', '-r', ...flags, ...RENAMES, ...spaces(ignoreSpace), from, to, '--', ...paths],
    repository.objects({ maxBytes, signal }),
  );
  return text;
}

/** The content of a file in a tree; undefined if the tree has none of this name. */
export async function fileIn(
  repository: PrivateRepository,
  tree: string,
  path: string,
  { maxBytes, signal }: Pick<PatchOptions, 'maxBytes' | 'signal'> = {},
): Promise<Buffer | undefined> {
  const found = await repository.git.text(
    ['ls-tree', '-z', tree, '--', path],
    repository.objects(),
  );
  const id = /^\d+ blob ([0-9a-f]+)\t/.exec(found)?.[1];
  if (id === undefined) return undefined;
  const call = repository.objects({ maxBytes, signal });
  return (await repository.git.run(['cat-file', 'blob', id], call)).output;
}

function spaces(ignoreSpace = false): string[] {
  return ignoreSpace ? ['-w'] : [];
}

const [COLON, TAB] = [':'.charCodeAt(0), '\t'.charCodeAt(0)];

/** Reads raw records, and the line counts that follow in the same order. Keeps the first files and counts all of them. */
class DifferenceReader {
  readonly files: FileDifference[] = [];
  total = 0;
  additions = 0;
  deletions = 0;
  readonly push: (chunk: Buffer) => void;
  #maxFiles: number;
  #byPath = new Map<string, FileDifference>();
  /** The record whose paths follow, one or two. */
  #head: Buffer | undefined;
  #paths: Buffer[] = [];
  #missing = 0;

  constructor(maxFiles: number) {
    this.#maxFiles = maxFiles;
    this.push = splitAtNul((field) => this.#take(field));
  }

  #take(field: Buffer): void {
    if (this.#missing === 0) {
      this.#begin(field);
      return;
    }
    this.#paths.push(field);
    this.#missing -= 1;
    if (this.#missing > 0 || !this.#head) return;
    const [head, paths] = [this.#head, this.#paths];
    this.#paths = [];
    if (head[0] === COLON) this.#addFile(head.toString('latin1', 1), paths);
    else this.#addCounts(head, paths.at(-1));
  }

  #begin(field: Buffer): void {
    this.#head = field;
    if (field[0] === COLON) {
      this.#missing = field.includes(' R') ? 2 : 1;
      return;
    }
    const path = field.subarray(field.indexOf(TAB, field.indexOf(TAB) + 1) + 1);
    // The names of a renamed file follow.
    if (path.length === 0) this.#missing = 2;
    else this.#addCounts(field, path);
  }

  #addFile(info: string, paths: readonly Buffer[]): void {
    this.total += 1;
    if (this.files.length >= this.#maxFiles) return;
    const [oldMode = '', newMode = '', oldId = '', newId = '', status = ''] = info.split(' ');
    const [oldPath, path = oldPath] = paths.map(String);
    const file = {
      ...describe(status, oldMode, newMode),
      path: path ?? '',
      ...(paths.length > 1 && oldPath ? { old_path: oldPath } : {}),
      ...(NO_OBJECT.test(oldId) ? {} : { old_id: oldId }),
      ...(NO_OBJECT.test(newId) ? {} : { new_id: newId }),
      ...NO_COUNTS,
    };
    this.files.push(file);
    this.#byPath.set(file.path, file);
  }

  #addCounts(counts: Buffer, path: Buffer | undefined): void {
    const [added = '', deleted = ''] = counts.toString('latin1', 0, MAX_COUNTS).split('\t');
    const isBinary = added === '-';
    this.additions += isBinary ? 0 : Number(added);
    this.deletions += isBinary ? 0 : Number(deleted);
    const file = this.#byPath.size > 0 ? this.#byPath.get(String(path)) : undefined;
    if (!file) return;
    file.is_binary = isBinary;
    file.additions = isBinary ? null : Number(added);
    file.deletions = isBinary ? null : Number(deleted);
  }
}

/** Bytes of two numbers and their separators. */
const MAX_COUNTS = 40;

/** The id that stands for a file that does not exist. */
const NO_OBJECT = /^0*$/;

const NO_COUNTS = { is_binary: false, additions: null, deletions: null };

function describe(
  status: string,
  oldMode: string,
  newMode: string,
): Pick<FileDifference, 'kind' | 'entry' | 'old_mode' | 'new_mode'> {
  const modes = [newMode, oldMode];
  const entry = modes.includes(SUBMODULE) ? 'submodule' : modes.includes(LINK) ? 'link' : 'file';
  const kinds = { A: 'added', D: 'deleted', R: 'renamed', T: 'replaced' } as const;
  const kind = kinds[status[0] as keyof typeof kinds] ?? 'modified';
  const isModeChanged = kind !== 'added' && kind !== 'deleted' && oldMode !== newMode;
  return { kind, entry, ...(isModeChanged ? { old_mode: oldMode, new_mode: newMode } : {}) };
}
