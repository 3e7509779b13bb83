import type { FileDifference } from '@baton/protocol';
import type { PrivateRepository } from './private-repository.ts';

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
  const { text } = await repository.git.run(
    ['diff-tree', '-r', '-z', '--raw', '--numstat', ...RENAMES, ...spaces(ignoreSpace), from, to],
    repository.objects({ signal }),
  );
  const all = parse(text.split('\0'));
  const sum = (key: 'additions' | 'deletions') =>
    all.reduce((total, file) => total + (file[key] ?? 0), 0);
  return {
    files: all.slice(0, maxFiles),
    total: all.length,
    additions: sum('additions'),
    deletions: sum('deletions'),
  };
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

/** Reads raw records, and the line counts that follow in the same order. */
function parse(fields: readonly string[]): FileDifference[] {
  const files: FileDifference[] = [];
  let n = 0;
  for (; fields[n]?.startsWith(':'); ) {
    const [oldMode = '', newMode = '', , , status = ''] = (fields[n] ?? '').slice(1).split(' ');
    const isMoved = status.startsWith('R');
    const oldPath = isMoved ? fields[n + 1] : undefined;
    const path = fields[n + (isMoved ? 2 : 1)] ?? '';
    n += isMoved ? 3 : 2;
    files.push({
      ...describe(status, oldMode, newMode),
      path,
      ...(oldPath ? { old_path: oldPath } : {}),
      ...NO_COUNTS,
    });
  }
  const byPath = new Map(files.map((file) => [file.path, file]));
  for (; n < fields.length; ) {
    const [added, deleted, name] = (fields[n] ?? '').split('\t');
    const isMoved = name === '';
    const path = isMoved ? fields[n + 2] : name;
    n += isMoved ? 3 : 1;
    const file = byPath.get(path ?? '');
    if (!file) continue;
    file.is_binary = added === '-';
    file.additions = file.is_binary ? null : Number(added);
    file.deletions = file.is_binary ? null : Number(deleted);
  }
  return files;
}

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
