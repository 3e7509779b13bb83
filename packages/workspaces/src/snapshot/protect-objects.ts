import { existsSync, linkSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isLoose } from './checkpoint-files.ts';
import type { PrivateRepository } from './private-repository.ts';

/** Beyond this number, files are not linked one by one. */
const MAX_LOOSE = 10_000;

/**
 * Makes a snapshot independent of the user's repository, whose `gc` may delete objects that the snapshot borrows:
 * unstaged blobs, and commits of deleted branches. Only the difference to a protected tree is looked at, if there is one.
 */
export async function protectObjects(
  repository: PrivateRepository,
  tree: string,
  protectedTree: string | undefined,
): Promise<void> {
  if (!repository.source || tree === protectedTree) return;
  if (protectedTree === undefined) {
    if (linkObjects(repository)) return;
    const ids = await repository.git.text(
      ['rev-list', '--objects', '--no-object-names', tree],
      repository.objects(),
    );
    return pack(repository, ids.split('\n'));
  }
  const records = await repository.git.records(
    [
      'diff-tree',
      '-r',
      '-t',
      '--raw',
      '--no-renames',
      '--diff-filter=d',
      '-z',
      protectedTree,
      tree,
    ],
    repository.objects(),
  );
  const ids = records.flatMap((record) => {
    const [, mode, , id] = record.split(' ');
    return record.startsWith(':') && id && mode !== '160000' && !/^0+$/.test(id) ? [id] : [];
  });
  await pack(
    repository,
    [tree, ...ids].filter((id) => !isLoose(repository, id)),
  );
}

async function pack(repository: PrivateRepository, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const name = join(repository.common, 'objects/pack/pack');
  const input = `${ids.join('\n')}\n`;
  await repository.git.run(['pack-objects', '--quiet', name], repository.objects({ input }));
}

/** Links the user's object files, which costs nothing while the user keeps them; false if that is not possible. */
function linkObjects({ common, source }: PrivateRepository): boolean {
  const from = join(source?.commonDir ?? '', 'objects');
  // Objects that it borrows itself would have to be followed.
  if (existsSync(join(from, 'info/alternates'))) return false;
  try {
    const files = objectFiles(from);
    if (files === undefined) return false;
    for (const { folder, name } of files) {
      const target = join(common, 'objects', folder, name);
      mkdirSync(join(common, 'objects', folder), { recursive: true });
      if (!existsSync(target)) linkSync(join(from, folder, name), target);
    }
    return true;
  } catch {
    // Another file system, another owner, or a repack at this moment.
    return false;
  }
}

/** Loose objects and packs, the index of a pack after it: a reader must never find an index without its pack. */
function objectFiles(from: string): { folder: string; name: string }[] | undefined {
  const loose = readdirSync(from)
    .filter((folder) => /^[0-9a-f]{2}$/.test(folder))
    .flatMap((folder) => readdirSync(join(from, folder)).map((name) => ({ folder, name })));
  if (loose.length > MAX_LOOSE) return undefined;
  const packs = existsSync(join(from, 'pack')) ? readdirSync(join(from, 'pack')) : [];
  const ordered = ['.pack', '.rev', '.idx'].flatMap((ending) =>
    packs.filter((name) => name.endsWith(ending)).map((name) => ({ folder: 'pack', name })),
  );
  return [...loose.filter(({ name }) => /^[0-9a-f]+$/.test(name)), ...ordered];
}
