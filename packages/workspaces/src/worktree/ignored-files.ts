import { accessSync, chmodSync, constants, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { basename, join } from 'node:path';
import { entryAt } from '../snapshot/entry-at.ts';
import type { PrivateRepository } from '../snapshot/private-repository.ts';
import type { FileStamps, StoredWorkspace } from './workspace-files.ts';

/** Ignored files of a worktree, outside of folders that are ignored as a whole, such as `node_modules`. */
export type IgnoredFiles = {
  /** Files that a removal keeps, and a restore brings back. */
  kept: readonly string[];
  /** Those of them that exist nowhere else, neither in the folder of the repository nor by the setup. */
  own: readonly string[];
  /** Files that exist nowhere else and cannot be kept, because they are too large or not readable. */
  unkept: readonly string[];
};

const MB = 1024 * 1024;
const MAX_FILE_BYTES = 10 * MB;
const MAX_BYTES = 100 * MB;
/** Files of the setup that are remembered; a script that makes more of them makes a folder, too. */
const MAX_STAMPS = 2000;

/** Files that tools write again at any time. */
const GENERATED =
  /^(\.DS_Store|Thumbs\.db|\.eslintcache|\.stylelintcache)$|\.(log|pyc|pyo|class|o|tsbuildinfo|sw[a-p])$|~$/;

/** Finds the ignored files that a removal would take away. Folders that are ignored as a whole are not looked into. */
export async function findIgnored(
  repository: PrivateRepository,
  { repository: source, setup_files: made = {} }: StoredWorkspace,
  signal?: AbortSignal,
): Promise<IgnoredFiles> {
  const kept: string[] = [];
  const own: string[] = [];
  const unkept: string[] = [];
  let total = 0;
  for (const { path, stats } of await listIgnored(repository, signal)) {
    const file = join(repository.root, path);
    const bytes = stats?.size ?? 0;
    const isElsewhere =
      (stats && made[path] === stampOf(stats)) || (source && isSame(file, join(source, path)));
    const fits = bytes <= MAX_FILE_BYTES && total + bytes <= MAX_BYTES;
    const canKeep = fits && stats !== undefined && isReadable(file, stats);
    if (canKeep) {
      total += bytes;
      kept.push(path);
    }
    if (!isElsewhere) (canKeep ? own : unkept).push(path);
  }
  return { kept, own, unkept };
}

/** Size and time of the ignored files, to know later which of them a setup made. */
export async function stampIgnored(
  repository: PrivateRepository,
  signal?: AbortSignal,
): Promise<FileStamps> {
  const found = await listIgnored(repository, signal);
  return Object.fromEntries(
    found.flatMap(({ path, stats }) => (stats ? [[path, stampOf(stats)]] : [])),
  );
}

/** The files that a setup made or changed, with those of earlier ones. */
export function madeBySetup(
  earlier: FileStamps | undefined,
  before: FileStamps,
  after: FileStamps,
): FileStamps {
  const made = Object.entries(after).filter(([path, stamp]) => before[path] !== stamp);
  return Object.fromEntries([...Object.entries(earlier ?? {}), ...made].slice(-MAX_STAMPS));
}

/** Ignored files and links; `stats` is undefined for names that cannot be decoded. */
async function listIgnored(repository: PrivateRepository, signal?: AbortSignal) {
  const { git, root } = repository;
  const flags = ['--others', '--ignored', '--exclude-standard', '--directory', '-z'];
  const names = await git.records(['ls-files', ...flags], repository.call({ signal }));
  return names
    .filter((path) => !path.endsWith('/') && !GENERATED.test(basename(path)))
    .map((path) => ({ path, stats: entryAt(join(root, path)) }))
    .filter(({ stats }) => !stats || stats.isFile() || stats.isSymbolicLink());
}

function isReadable(file: string, stats: Stats): boolean {
  if (stats.isSymbolicLink()) return true;
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function stampOf({ size, mtimeMs }: Stats): string {
  return `${size} ${mtimeMs}`;
}

/** True if two paths have the same content. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [entryAt(one), entryAt(other)];
  if (!a || !b || a.size !== b.size) return false;
  if (a.isSymbolicLink() && b.isSymbolicLink()) return readlinkSync(one) === readlinkSync(other);
  if (!a.isFile() || !b.isFile() || a.size > MAX_FILE_BYTES) return false;
  if (!isReadable(one, a) || !isReadable(other, b)) return false;
  return readFileSync(one).equals(readFileSync(other));
}

/** Keeps ignored files as a tree in Baton's repository; undefined if there are none. */
export async function keepIgnored(
  repository: PrivateRepository,
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (paths.length === 0) return undefined;
  const { git } = repository;
  const index = repository.copyIndex({ isEmpty: true });
  try {
    const call = repository.call({ indexFile: index.path, signal });
    const input = paths.map((path) => `${path}\0`).join('');
    await git.run(['update-index', '--add', '--remove', '-z', '--stdin'], { ...call, input });
    return await git.text(['write-tree'], call);
  } finally {
    index.drop();
  }
}

/** Writes ignored files that a removal kept. Some of them are secrets, and Git does not keep who may read a file. */
export async function restoreIgnored(
  repository: PrivateRepository,
  tree: string,
  signal?: AbortSignal,
): Promise<void> {
  const { git, root } = repository;
  const index = repository.copyIndex({ isEmpty: true });
  try {
    const call = repository.call({ indexFile: index.path, signal });
    await git.run(['read-tree', tree], call);
    await git.run(['checkout-index', '--all', '--quiet'], call);
    for (const path of await git.records(['ls-files', '-z'], call)) {
      const file = join(root, path);
      const stats = entryAt(file);
      if (stats?.isFile()) chmodSync(file, stats.mode & 0o700);
    }
  } finally {
    index.drop();
  }
}
