import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Git } from '../git/git.ts';

type ExpireOptions = { stateFolder: string; git: Git; before: number };

/**
 * Deletes the checkpoints of all folders that were made before a time, except the newest of each folder, and the objects
 * that only they had. Returns the number of deleted checkpoints.
 */
export async function expireCheckpoints({
  stateFolder,
  git,
  before,
}: ExpireOptions): Promise<number> {
  const folder = join(stateFolder, 'repositories');
  if (!existsSync(folder)) return 0;
  let deleted = 0;
  for (const name of readdirSync(folder)) {
    const common = join(folder, name);
    if (!existsSync(join(common, 'HEAD'))) continue;
    deleted += await expireIn(git, common, before);
  }
  return deleted;
}

async function expireIn(git: Git, common: string, before: number): Promise<number> {
  const call = { cwd: common, gitDir: common, isLight: true };
  const format = '%(refname) %(objectname) %(committerdate:unix)';
  const lines = await git.text(['for-each-ref', `--format=${format}`, 'refs/checkpoints/'], call);
  const refs = lines.split('\n').filter((line) => line !== '');
  const newest = new Map(refs.map((line) => [folderOf(line), line]));
  const expired = refs.filter((line) => {
    const [, , time] = line.split(' ');
    return Number(time) * 1000 < before && newest.get(folderOf(line)) !== line;
  });
  if (expired.length === 0) return 0;
  const input = expired.map((line) => {
    const [ref, id] = line.split(' ');
    return `delete ${ref} ${id}\n`;
  });
  await git.run(['update-ref', '--stdin'], { ...call, input: input.join('') });
  // An operation under way may have made objects that no ref has yet.
  await git.run(['prune', '--expire=1.day.ago'], { cwd: common, gitDir: common });
  return expired.length;
}

/** The part of a ref that names its folder: refs come sorted, so that the last of each is the newest. */
function folderOf(line: string): string {
  return line.slice(0, line.lastIndexOf('/'));
}
