import { join } from 'node:path';
import { BatonError } from '@baton/protocol/values';
import { withDiskErrors } from '../git/disk-errors.ts';
import type { Git, GitCall } from '../git/git.ts';
import { type ModifiedFile, readTreeChange, writeTreeChange } from './changed-tree.ts';
import { checkPlainFolder } from './check-plain-folder.ts';
import { entryAt } from './entry-at.ts';
import { MAX_FILE_BYTES, PLAIN_EXCLUDES, type PrivateRepository } from './private-repository.ts';
import { splitAtNul } from './split-at-nul.ts';

/** Parts of a folder that a snapshot does not contain. */
export type SnapshotGap = {
  kind: 'too_large' | 'too_many' | 'nested' | 'unreadable';
  /** Some of the paths. */
  paths: readonly string[];
  count: number;
};

export type Snapshot = {
  /** Tree object with every file that is not ignored. */
  tree: string;
  gaps: readonly SnapshotGap[];
};

type SnapshotLimits = {
  /** Number of new files. */
  maxFiles: number;
  /** Size of one new or changed file. */
  maxFileBytes: number;
  /** Size of all new and changed files. */
  maxBytes: number;
};

const MB = 1024 * 1024;
const SNAPSHOT_LIMITS: SnapshotLimits = {
  maxFiles: 20_000,
  maxFileBytes: MAX_FILE_BYTES,
  maxBytes: 1024 * MB,
};
const MAX_NAMED = 20;
/** Files that change while they are read are read again. */
const ATTEMPTS = 3;

export type SnapshotOptions = {
  limits?: SnapshotLimits | undefined;
  signal?: AbortSignal | undefined;
  /** Ignored files to include as well. */
  include?: readonly string[] | undefined;
};

/** Takes a snapshot of a folder: tracked and new files, not ignored ones. Executes and changes nothing there. */
export function takeSnapshot(
  repository: PrivateRepository,
  options: SnapshotOptions = {},
): Promise<Snapshot> {
  return withDiskErrors(() => snapshotOf(repository, options));
}

async function snapshotOf(
  repository: PrivateRepository,
  options: SnapshotOptions,
): Promise<Snapshot> {
  for (let attempt = 1; ; attempt++) {
    // An index that was damaged by a loss of power is made anew, at the price of reading every file.
    const index = repository.copyIndex({ isEmpty: attempt === ATTEMPTS });
    try {
      return await snapshotWith(repository, index, options);
    } catch (error) {
      const isRace = BatonError.is(error) && error.code === 'git_failed';
      if (!isRace || attempt === ATTEMPTS) throw error;
    } finally {
      index.drop();
    }
  }
}

async function snapshotWith(
  repository: PrivateRepository,
  index: Pick<ReturnType<PrivateRepository['copyIndex']>, 'path' | 'tree' | 'keep'>,
  { limits = SNAPSHOT_LIMITS, signal, include = [] }: SnapshotOptions,
): Promise<Snapshot> {
  const { git, root, source } = repository;
  if (!source) {
    const excluded = new Set(PLAIN_EXCLUDES);
    checkPlainFolder(root, { maxFiles: limits.maxFiles, excluded });
  }
  const call = repository.call({ indexFile: index.path, signal });
  // Both read the whole tree, one the files that Git knows and one the others.
  const unseen = repository.unseenIndex;
  const [changed, others, added, submodules] = await Promise.all([
    changedFiles(repository, call),
    otherFiles(repository, call, limits),
    unseen ? trackedIgnored(repository, { ...call, indexFile: unseen.file }) : [],
    submodulesWithFiles(repository, call, limits),
  ]);
  const nested = [...others.paths.filter((path) => path.endsWith('/')), ...submodules];
  const fresh = others.paths.filter((path) => !path.endsWith('/'));
  const known = fittingFiles(root, [...changed.present, ...added, ...include], limits);
  const taken = repository.hasLeftOut ? await takenFiles(repository, call) : NOTHING;
  const room = Math.max(0, limits.maxFiles - taken.files);
  const news = fittingFiles(root, fresh.slice(0, room), {
    ...limits,
    maxBytes: Math.max(0, limits.maxBytes - taken.bytes),
  });
  const left = [...fresh.slice(room), ...others.left];
  const leftCount = Math.max(0, fresh.length - room) + others.leftCount;
  const gaps: SnapshotGap[] = [
    ...gap('too_large', [...known.tooLarge, ...news.tooLarge]),
    ...gap('too_many', left, leftCount),
    ...gap('nested', nested),
  ];
  repository.noteLeftOut(leftCount + news.tooLarge.length > 0);
  const paths = [...changed.missing, ...known.paths, ...news.paths];
  const isOnlyModified =
    changed.modified.length === known.paths.length &&
    [changed.missing, fresh, added, include, known.tooLarge].every(({ length }) => length === 0);
  if (index.tree && paths.length > 0 && isOnlyModified && !repository.hasLeftOut) {
    const tree = await quickTree(repository, call, { tree: index.tree, files: changed.modified });
    if (tree) {
      unseen?.seen();
      return { tree, gaps };
    }
  }
  const unreadable = await updateIndex(git, call, paths.filter(isUtf8Name));
  unreadable.push(...paths.filter((path) => !isUtf8Name(path)));
  gaps.push(...gap('unreadable', unreadable));
  if (index.tree && paths.length === 0) {
    unseen?.seen();
    return { tree: index.tree, gaps };
  }
  const tree = await git.text(['write-tree'], call);
  index.keep(tree);
  unseen?.seen();
  return { tree, gaps };
}

/**
 * The tree of an index with other contents of its files, without changing the index; undefined if that is not possible.
 * Files that stay as they were then go into the index, so that they are not written again and again.
 */
async function quickTree(
  repository: PrivateRepository,
  call: GitCall,
  change: { tree: string; files: readonly ModifiedFile[] },
): Promise<string | undefined> {
  const { git, root } = repository;
  if (!change.files.every(({ path }) => isUtf8Name(path))) return undefined;
  const read = readTreeChange(root, change);
  if (!read || repository.lastVersion === read.version) return undefined;
  try {
    const tree = await writeTreeChange(git, call, read);
    if (tree) repository.lastVersion = read.version;
    return tree;
  } catch (error) {
    if (BatonError.is(error) && error.code === 'git_failed') return undefined;
    throw error;
  }
}

/** Files of the index that differ from those on the disk, by size and time. */
async function changedFiles({ git }: PrivateRepository, call: GitCall) {
  const records = await git.records(
    ['diff-files', '--raw', '--no-renames', '--ignore-submodules=dirty', '-z'],
    call,
  );
  const present: string[] = [];
  const missing: string[] = [];
  /** Regular files of which only the content or the mode is another one. */
  const modified: ModifiedFile[] = [];
  for (let n = 0; n + 1 < records.length; n += 2) {
    const [info = '', path = ''] = [records[n], records[n + 1]];
    (info.endsWith('D') ? missing : present).push(path);
    const mode = MODIFIED_FILE.exec(info)?.[1];
    if (mode) modified.push({ path, mode });
  }
  return { present, missing, modified };
}

const MODIFIED_FILE = /^:100\d{3} (100\d{3}) .* M$/;

/** Ignored files that the user has added nevertheless. An index that cannot be read, such as a split one, has none. */
async function trackedIgnored({ git }: PrivateRepository, call: GitCall): Promise<string[]> {
  try {
    return await git.records(
      ['ls-files', '-z', '--cached', '--ignored', '--exclude-standard'],
      call,
    );
  } catch (error) {
    if (BatonError.is(error) && error.code === 'git_failed') return [];
    throw error;
  }
}

async function otherFiles({ git }: PrivateRepository, call: GitCall, limits: SnapshotLimits) {
  const found = new NulRecords(limits.maxFiles);
  await git.run(['ls-files', '--others', '--exclude-standard', '-z'], {
    ...call,
    onOutput: (chunk) => found.push(chunk),
  });
  return { paths: found.records, left: found.sample, leftCount: found.extra };
}

const SUBMODULE = '160000 ';

/**
 * Submodules that are checked out: a snapshot has their commits, but not their files. Reading the whole index for them
 * takes long, and most repositories have none.
 */
async function submodulesWithFiles(
  { git, root, source }: PrivateRepository,
  call: GitCall,
  limits: SnapshotLimits,
): Promise<string[]> {
  const places = source ? [join(root, '.gitmodules'), join(source.commonDir, 'modules')] : [];
  if (!places.some((place) => entryAt(place))) return [];
  const found = new NulRecords(limits.maxFiles, SUBMODULE);
  await git.run(['ls-files', '-s', '-z'], { ...call, onOutput: (chunk) => found.push(chunk) });
  return found.records
    .map((record) => record.slice(record.indexOf('\t') + 1))
    .filter((path) => entryAt(join(root, path, '.git')))
    .map((path) => `${path}/`);
}

const NOTHING = { files: 0, bytes: 0 };

/**
 * New files that earlier snapshots have taken. What such a snapshot left out must not be taken by the next one: it would
 * look as if somebody had made it meanwhile, and an undo would delete it.
 */
async function takenFiles(
  repository: PrivateRepository,
  call: GitCall,
): Promise<{ files: number; bytes: number }> {
  const { git, root } = repository;
  const users = repository.copyUsersIndex();
  try {
    const [all, ignored, tracked] = await Promise.all([
      git.records(['ls-files', '-z'], call),
      git.records(['ls-files', '-z', '-c', '-i', '--exclude-standard'], call),
      users ? git.records(['ls-files', '-z'], { ...call, indexFile: users.path }) : [],
    ]);
    const others = new Set([...ignored, ...tracked]);
    const taken = all.filter((path) => !others.has(path));
    const bytes = taken.reduce((sum, path) => sum + sizeOf(join(root, path)), 0);
    return { files: taken.length, bytes };
  } finally {
    users?.drop();
  }
}

/** Splits output at NUL and keeps a limited number of records, of those that begin with a prefix. */
class NulRecords {
  readonly records: string[] = [];
  /** Some of the records beyond the limit. */
  readonly sample: string[] = [];
  extra = 0;
  readonly push: (chunk: Buffer) => void;
  #limit: number;

  constructor(limit: number, prefix = '') {
    this.#limit = limit;
    this.push = splitAtNul((field) => {
      if (field.toString('latin1', 0, prefix.length) === prefix) this.#add(field.toString('utf8'));
    });
  }

  #add(record: string): void {
    if (this.records.length < this.#limit) {
      this.records.push(record);
      return;
    }
    this.extra += 1;
    if (this.sample.length < MAX_NAMED) this.sample.push(record);
  }
}

/** The files whose content a snapshot can take, smallest first if not all of them fit. */
function fittingFiles(root: string, paths: readonly string[], limits: SnapshotLimits) {
  const sized = paths.map((path) => ({ path, bytes: sizeOf(join(root, path)) }));
  const all = sized.reduce((sum, { bytes }) => sum + bytes, 0);
  if (all > limits.maxBytes) sized.sort((a, b) => a.bytes - b.bytes);
  const tooLarge: string[] = [];
  const fitting: string[] = [];
  let total = 0;
  for (const { path, bytes } of sized) {
    const fits = bytes <= limits.maxFileBytes && total + bytes <= limits.maxBytes;
    if (fits) total += bytes;
    (fits ? fitting : tooLarge).push(path);
  }
  return { paths: fitting, tooLarge };
}

function sizeOf(path: string): number {
  const found = entryAt(path);
  return found?.isFile() ? found.size : 0;
}

/** Takes files into the index; returns those that cannot be read. */
async function updateIndex(git: Git, call: GitCall, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return [];
  const input = paths.map((path) => `${path}\0`).join('');
  const flags = ['--add', '--remove', '--replace', '-z', '--stdin'];
  try {
    await git.run(['update-index', ...flags], { ...call, input });
    return [];
  } catch (error) {
    if (!BatonError.is(error) || error.code !== 'git_failed') throw error;
  }
  // One of them cannot be taken: halves find it.
  if (paths.length === 1) return [...paths];
  const middle = Math.ceil(paths.length / 2);
  const first = await updateIndex(git, call, paths.slice(0, middle));
  return [...first, ...(await updateIndex(git, call, paths.slice(middle)))];
}

/** Names in other encodings are changed by decoding, and can no longer be given to git. */
function isUtf8Name(path: string): boolean {
  return !path.includes('\uFFFD');
}

function gap(
  kind: SnapshotGap['kind'],
  paths: readonly string[],
  count = paths.length,
): SnapshotGap[] {
  return count === 0 ? [] : [{ kind, paths: paths.slice(0, MAX_NAMED), count }];
}
