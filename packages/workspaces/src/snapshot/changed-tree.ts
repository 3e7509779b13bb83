import { createHash, randomUUID } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Git, GitCall } from '../git/git.ts';
import { entryAt } from './entry-at.ts';

/** A tracked file whose content differs from the index. */
export type ModifiedFile = { path: string; mode: string };

/** Contents to write, and a name for exactly these. */
type TreeChange = { input: Buffer; version: string };

/** Beyond these, the files are not held in memory at once. */
const [MAX_FILES, MAX_BYTES] = [5000, 32 * 1024 * 1024];
/** Less than this is not worth the time. */
const MIN_COMPRESSED = 1024 * 1024;
const MAX_ATTRIBUTES = 1024 * 1024;
/** A link in place of the file is not followed, and a pipe does not block. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Reads the present content of some files of a tree. Returns undefined if Git would have to decide more than that, such as
 * how lines end.
 */
export function readTreeChange(
  root: string,
  { tree, files }: { tree: string; files: readonly ModifiedFile[] },
): TreeChange | undefined {
  const contents = files.length <= MAX_FILES && readAll(root, files);
  if (!contents) return undefined;
  const lines = files.flatMap(({ path, mode }, n) => {
    const content = contents[n] ?? Buffer.alloc(0);
    const head = `M ${mode} inline ${quoted(path)}\ndata ${content.length}\n`;
    return [Buffer.from(head), content, LINE];
  });
  const body = Buffer.concat([Buffer.from(`M 040000 ${tree} \n`), ...lines]);
  const version = createHash('sha256').update(body).digest('hex');
  // The program wants a name for what it writes, and is told at the end to forget it.
  const ref = `refs/heads/snapshot-${randomUUID()}`;
  const author = 'Baton <baton@localhost> 0 +0000';
  const input = Buffer.concat([
    Buffer.from(`commit ${ref}\nmark :1\ncommitter ${author}\ndata 0\n\n`),
    body,
    Buffer.from(`\nls :1 \nreset ${ref}\nfrom ${'0'.repeat(tree.length)}\n\ndone\n`),
  ]);
  return { input, version };
}

const LINE = Buffer.from('\n');

/** Writes a tree with one call of git that neither reads nor writes an index. */
export async function writeTreeChange(
  git: Git,
  call: GitCall,
  { input }: TreeChange,
): Promise<string | undefined> {
  const flags = ['--quiet', '--done', '--depth=0', '--date-format=raw'];
  const level = input.length < MIN_COMPRESSED ? 0 : 1;
  const said = await git.text(
    // As durable as the single objects that Git writes.
    ['-c', 'core.fsync=none', '-c', `core.compression=${level}`, 'fast-import', ...flags],
    { ...call, input },
  );
  return /^040000 tree ([0-9a-f]{40,64})\b/.exec(said)?.[1];
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
  if (!entryAt(path)?.isDirectory()) return false;
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
