import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { refuseHugeTree } from '../git/refuse-huge-tree.ts';
import type { PrivateRepository } from './private-repository.ts';

/** Size that a pointer never exceeds. */
const MAX_POINTER = 1024;
const POINTER = /^version https:\/\/\S+\n(?:.*\n)*?oid sha256:([0-9a-f]{64})\nsize (\d+)\n/;
const FILE_MODE = /^:?100/;

type Entry = { path: string; mode: string; pointer: string; content: string };

/**
 * A tree with the content of LFS files in place of their pointers, where another tree has just that content: Git compares
 * them by running the filter of LFS, which would be a program of the user's configuration.
 */
export async function resolvePointers(
  repository: PrivateRepository,
  tree: string,
  other: string,
): Promise<string> {
  if (tree === other || !usesLfs(repository)) return tree;
  await refuseHugeTree(repository.git, repository.objects(), tree);
  const changed = await changedFiles(repository, tree, other);
  const sizes = await sizesOf(repository, changed);
  const same: Entry[] = [];
  for (const entry of changed) {
    if ((sizes.get(entry.pointer) ?? MAX_POINTER) >= MAX_POINTER) continue;
    const [, oid, size] = POINTER.exec(await textOf(repository, entry.pointer)) ?? [];
    if (oid === undefined || sizes.get(entry.content) !== Number(size)) continue;
    if ((await hashOf(repository, entry.content)) === oid) same.push(entry);
  }
  return same.length === 0 ? tree : withEntries(repository, tree, same);
}

/** Content of LFS is on the disk only if there is such a folder or such a rule; most repositories have neither. */
function usesLfs({ root, source }: PrivateRepository): boolean {
  if (!source) return false;
  if (existsSync(join(source.commonDir, 'lfs'))) return true;
  try {
    return readFileSync(join(root, '.gitattributes'), 'utf8').includes('filter=lfs');
  } catch {
    return false;
  }
}

async function changedFiles(
  repository: PrivateRepository,
  tree: string,
  other: string,
): Promise<Entry[]> {
  const flags = ['-r', '-z', '--raw', '--no-renames', '--diff-filter=M'];
  const records = await repository.git.records(
    ['diff-tree', ...flags, tree, other],
    repository.objects(),
  );
  const found: Entry[] = [];
  for (let n = 0; n + 1 < records.length; n += 2) {
    const [oldMode = '', mode = '', pointer = '', content = ''] = (records[n] ?? '').split(' ');
    if (!FILE_MODE.test(oldMode) || !FILE_MODE.test(mode)) continue;
    found.push({ path: records[n + 1] ?? '', mode: oldMode.slice(1), pointer, content });
  }
  return found;
}

async function sizesOf(
  repository: PrivateRepository,
  entries: readonly Entry[],
): Promise<ReadonlyMap<string, number>> {
  if (entries.length === 0) return new Map();
  const input = entries.map(({ pointer, content }) => `${pointer}\n${content}\n`).join('');
  const text = await repository.git.text(
    ['cat-file', '--batch-check=%(objectname) %(objectsize)'],
    repository.objects({ input }),
  );
  return new Map(
    text.split('\n').map((line) => {
      const [id = '', size] = line.split(' ');
      return [id, Number(size)];
    }),
  );
}

async function textOf(repository: PrivateRepository, id: string): Promise<string> {
  return (await repository.git.run(['cat-file', 'blob', id], repository.objects())).text;
}

/** SHA-256 of a blob, which is kept: the files of LFS are large. */
async function hashOf(repository: PrivateRepository, id: string): Promise<string> {
  const file = join(repository.common, 'lfs', id);
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Not known yet.
  }
  const hash = createHash('sha256');
  await repository.git.run(
    ['cat-file', 'blob', id],
    repository.objects({ onOutput: (chunk) => hash.update(chunk) }),
  );
  const found = hash.digest('hex');
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, found, { mode: 0o600 });
  return found;
}

async function withEntries(
  repository: PrivateRepository,
  tree: string,
  entries: readonly Entry[],
): Promise<string> {
  const { git } = repository;
  const index = repository.copyIndex({ isEmpty: true });
  const call = repository.call({ indexFile: index.path });
  try {
    await git.run(['read-tree', tree], call);
    const input = entries.map(({ mode, content, path }) => `${mode} ${content}\t${path}\0`);
    await git.run(['update-index', '-z', '--index-info'], { ...call, input: input.join('') });
    return await git.text(['write-tree'], call);
  } finally {
    index.drop();
  }
}
