import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BatonError } from '@baton/protocol/values';
import { type Differences, differences } from '../snapshot/differences.ts';
import { entryAt } from '../snapshot/entry-at.ts';
import type { WorkspaceHome } from '../workspace-home.ts';
import { type FinishPlace, refuseUnready } from './finish-place.ts';
import { type PersonCall, personGit, withTextFile } from './person-git.ts';

export type CommitOptions = Pick<PersonCall, 'onLine' | 'signal'> & {
  message: string;
  /** The changed files to commit, relative to the root; all by default. */
  paths?: readonly string[] | undefined;
  onStep?: ((step: CommitStep) => void) | undefined;
};

type CommitStep = 'marked' | 'committed';

type Committed = { commit: string; changes: Differences };

/** The changes that a commit would contain; throws `usage` for a path that has not changed. */
export function chosenChanges(
  { changes, path: root }: Pick<FinishPlace, 'changes' | 'path'>,
  paths: readonly string[] | undefined,
): Differences {
  if (!paths) return changes;
  const isChosen = (file: Differences['files'][number], path: string) =>
    file.path === path || file.old_path === path || file.path.startsWith(`${path}/`);
  const unknown = paths.find((path) => !changes.files.some((file) => isChosen(file, path)));
  if (unknown !== undefined) {
    throw new BatonError('usage', `${unknown} has no uncommitted changes in ${root}.`, {
      hint: 'Run "baton diff --stat" to see the changed files.',
    });
  }
  const files = changes.files.filter((file) => paths.some((path) => isChosen(file, path)));
  const sum = (key: 'additions' | 'deletions') =>
    files.reduce((all, file) => all + (file[key] ?? 0), 0);
  return { files, total: files.length, additions: sum('additions'), deletions: sum('deletions') };
}

/**
 * Commits changed files as the person would, with their hooks and signature. What else is staged stays staged. A hook
 * that fails leaves everything as it was; the error has its output.
 */
export async function commitChanges(
  home: WorkspaceHome,
  place: FinishPlace,
  { message, paths, onLine, signal, onStep }: CommitOptions,
): Promise<Committed> {
  const { path: cwd, own, head } = place;
  const chosen = chosenChanges(place, paths);
  const isMerge = place.merging !== undefined && !paths;
  if (chosen.total === 0 && !isMerge) throw nothingToCommit(cwd);
  refuseUnready(home, place);
  const names = chosen.files.flatMap(({ path, old_path }) => [
    path,
    ...(old_path ? [old_path] : []),
  ]);
  await keepingIndex(place, () =>
    withTextFile(message, async (file) => {
      const flags = ['commit', '--quiet', '--cleanup=strip', `--file=${file}`];
      const call = { cwd, signal, env: LITERAL };
      const stage = (args: readonly string[], paths: readonly string[]) =>
        withPaths(paths, (pathspec) => personGit(['add', ...args, ...pathspec], call));
      if (!paths) {
        // A hook that formats files adds them again: the index must be that of the commit.
        await stage(['--all'], await stageable(place, names));
        onStep?.('marked');
        await personGit(flags, { ...call, onLine });
        return;
      }
      // Git commits only files that it knows.
      await stage(['--intent-to-add'], await untracked(place, names));
      onStep?.('marked');
      await withPaths(names, (pathspec) =>
        personGit([...flags, '--only', ...pathspec], { ...call, onLine }),
      );
    }),
  );
  onStep?.('committed');
  const commit = await headOf(place);
  if (commit === head) throw nothingToCommit(cwd);
  return { commit, changes: await differences(own, [`${head}^{tree}`, `${commit}^{tree}`]) };
}

/** File names are names, also if they contain characters of a pattern. */
const LITERAL = { GIT_LITERAL_PATHSPECS: '1' };

/** Calls a function with the flags that name files, unless there are none. */
async function withPaths(
  paths: readonly string[],
  act: (flags: readonly string[]) => Promise<unknown>,
): Promise<void> {
  if (paths.length === 0) return;
  await withTextFile(`${paths.join('\0')}\0`, (file) =>
    act([`--pathspec-from-file=${file}`, '--pathspec-file-nul']),
  );
}

/** Changed files that Git can find, and those that are staged although they are as before on the disk. */
async function stageable(
  { repository, path: root }: FinishPlace,
  names: readonly string[],
): Promise<string[]> {
  const [known, staged] = await Promise.all([
    repository.git.records(['ls-files', '-z', '--cached'], repository.call()),
    repository.git.records(
      ['diff-index', '--cached', '--name-only', '--no-renames', '-z', 'HEAD'],
      repository.call(),
    ),
  ]);
  const all = new Set(known);
  return [...new Set([...names, ...staged])].filter(
    (name) => all.has(name) || entryAt(join(root, name)),
  );
}

/** Files that are in neither HEAD nor the index. */
async function untracked({ repository }: FinishPlace, names: readonly string[]): Promise<string[]> {
  const known = await repository.git.records(['ls-files', '-z', '--cached'], repository.call());
  const all = new Set(known);
  const inHead = new Set(
    await repository.git.records(['ls-tree', '-r', '-z', '--name-only', 'HEAD'], repository.call()),
  );
  return names.filter((name) => !all.has(name) && !inHead.has(name));
}

/** Brings the index back if the commit fails, as Git does with the files that it takes for a commit. */
async function keepingIndex(
  { repository }: FinishPlace,
  act: () => Promise<unknown>,
): Promise<void> {
  const index = join(repository.place.gitDir, 'index');
  const before = existsSync(index) ? readFileSync(index) : undefined;
  try {
    await act();
  } catch (error) {
    if (before) replaceIndex(index, before);
    throw error;
  }
}

function replaceIndex(index: string, content: Uint8Array): void {
  const lock = `${index}.lock`;
  try {
    writeFileSync(lock, content, { flag: 'wx' });
    renameSync(lock, index);
  } catch {
    // Another program works with it. What was added stays staged, and the error of the commit says more.
  }
}

async function headOf({ repository }: FinishPlace): Promise<string> {
  return repository.git.text(['rev-parse', '--verify', 'HEAD'], repository.call());
}

function nothingToCommit(path: string): BatonError {
  return new BatonError('conflict', `Nothing to commit in ${path}.`, {
    hint: 'Its files are the same as in the last commit.',
  });
}
