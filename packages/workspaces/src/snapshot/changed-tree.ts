import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Git, GitCall } from '../git/git.ts';

/** A tracked file whose content differs from the index. */
export type ModifiedFile = { path: string; mode: string };

/** Beyond these, the files are not held in memory at once. */
const [MAX_FILES, MAX_BYTES] = [5000, 32 * 1024 * 1024];
const MAX_ATTRIBUTES = 1024 * 1024;
/** A link in place of the file is not followed, and a pipe does not block. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Writes a tree with the present content of some files of another tree, with one call of git that neither reads nor
 * writes an index. Returns undefined if Git would have to decide more than that, such as how lines end.
 */
export async function changedTree(
  git: Git,
  call: GitCall & { workTree: string },
  { tree, files }: { tree: string; files: readonly ModifiedFile[] },
): Promise<string | undefined> {
  const contents = files.length <= MAX_FILES && readAll(call.workTree, files);
  if (!contents) return undefined;
  // The program wants a name for what it writes, and is told at the end to forget it.
  const ref = `refs/heads/snapshot-${randomUUID()}`;
  const input = [
    `commit ${ref}\nmark :1\ncommitter Baton <baton@localhost> 0 +0000\ndata 0\n\n`,
    `M 040000 ${tree} \n`,
    ...files.flatMap(({ path, mode }, n) => {
      const content = contents[n] ?? Buffer.alloc(0);
      return [`M ${mode} inline ${quoted(path)}\ndata ${content.length}\n`, content, '\n'];
    }),
    `\nls :1 \nreset ${ref}\nfrom ${'0'.repeat(tree.length)}\n\ndone\n`,
  ];
  const bytes = Buffer.concat(
    input.map((each) => (typeof each === 'string' ? Buffer.from(each) : each)),
  );
  const flags = ['--quiet', '--done', '--depth=0', '--date-format=raw'];
  const said = await git.text(
    // As durable as the single objects that Git writes.
    ['-c', 'core.fsync=none', '-c', 'core.compression=1', 'fast-import', ...flags],
    { ...call, input: bytes },
  );
  return /^040000 tree ([0-9a-f]{40,64})\b/.exec(said)?.[1];
}

/** Identifies the versions of files by size and time. */
export function versionOf(root: string, files: readonly ModifiedFile[]): string {
  const hash = createHash('sha256');
  for (const { path, mode } of files) {
    const found = lstatSync(join(root, path), { throwIfNoEntry: false, bigint: true });
    hash.update(`${path}\0${mode} ${found?.ino} ${found?.size} ${found?.mtimeNs}\0`);
  }
  return hash.digest('hex');
}

/** The contents of files that Git would store as they are; undefined if there is another one. */
function readAll(root: string, files: readonly ModifiedFile[]): Buffer[] | undefined {
  const folders = new Set(files.map(({ path }) => dirname(path)));
  for (const folder of [...folders]) {
    for (let at = folder; at !== '.'; at = dirname(at)) folders.add(at);
  }
  folders.add('.');
  if (![...folders].every((folder) => isPlainFolder(root, folder))) return undefined;
  const contents: Buffer[] = [];
  let bytes = 0;
  for (const { path } of files) {
    const content = readPlain(join(root, path), MAX_BYTES - bytes);
    if (!content) return undefined;
    bytes += content.length;
    contents.push(content);
  }
  return contents;
}

/** True for a folder that no link leads to, and whose rules do not name the encoding of files. */
function isPlainFolder(root: string, folder: string): boolean {
  const path = join(root, folder);
  try {
    if (realpathSync.native(path) !== path) return false;
  } catch {
    return false;
  }
  const rules = join(path, '.gitattributes');
  const found = statSync(rules, { throwIfNoEntry: false });
  if (!found) return true;
  if (!found.isFile() || found.size > MAX_ATTRIBUTES) return false;
  return !readFileSync(rules, 'utf8').includes('working-tree-encoding');
}

/** Git may change line ends and `$Id$` of a file; without these, it stores the file as it is. */
function readPlain(path: string, maxBytes: number): Buffer | undefined {
  let file: number;
  try {
    file = openSync(path, READ);
  } catch {
    return undefined;
  }
  try {
    const found = fstatSync(file);
    if (!found.isFile() || found.size > maxBytes) return undefined;
    const content = readFileSync(file);
    return content.includes('\r') || content.includes('$Id') ? undefined : content;
  } finally {
    closeSync(file);
  }
}

function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}
