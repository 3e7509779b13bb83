import { BatonError } from '@baton/protocol/values';
import { type Differences, differences } from '../snapshot/differences.ts';
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
  if (chosen.total === 0) throw nothingToCommit(cwd);
  refuseUnready(home, place);
  const names = chosen.files.flatMap(({ path, old_path }) => [
    path,
    ...(old_path ? [old_path] : []),
  ]);
  const list = `${names.join('\0')}\0`;
  const fresh = await untracked(place, names);
  const pathspec = ['--pathspec-file-nul'];
  await withTextFile(list, (file) =>
    withTextFile(message, async (messageFile) => {
      const call = { cwd, signal };
      if (fresh.length > 0) {
        // Git commits only files that it knows.
        await withTextFile(`${fresh.join('\0')}\0`, (freshFile) =>
          personGit(['add', '--intent-to-add', `--pathspec-from-file=${freshFile}`, ...pathspec], {
            ...call,
            env: LITERAL,
          }),
        );
      }
      onStep?.('marked');
      try {
        await personGit(
          [
            ...['commit', '--quiet', '--only', '--cleanup=strip', `--file=${messageFile}`],
            ...[`--pathspec-from-file=${file}`, ...pathspec],
          ],
          { ...call, env: LITERAL, onLine },
        );
      } catch (error) {
        await forget(place, fresh);
        throw error;
      }
    }),
  );
  onStep?.('committed');
  const commit = await headOf(place);
  if (commit === head) throw nothingToCommit(cwd);
  return { commit, changes: await differences(own, [`${head}^{tree}`, `${commit}^{tree}`]) };
}

/** File names are names, also if they contain characters of a pattern. */
const LITERAL = { GIT_LITERAL_PATHSPECS: '1' };

/** Files that are in neither HEAD nor the index. */
async function untracked({ repository }: FinishPlace, names: readonly string[]): Promise<string[]> {
  const known = await repository.git.records(['ls-files', '-z', '--cached'], repository.call());
  const all = new Set(known);
  const inHead = new Set(
    await repository.git.records(['ls-tree', '-r', '-z', '--name-only', 'HEAD'], repository.call()),
  );
  return names.filter((name) => !all.has(name) && !inHead.has(name));
}

/** Takes new files out of the index again. */
async function forget({ path: cwd }: FinishPlace, fresh: readonly string[]): Promise<void> {
  if (fresh.length === 0) return;
  await withTextFile(`${fresh.join('\0')}\0`, (file) =>
    personGit(['reset', '--quiet', `--pathspec-from-file=${file}`, '--pathspec-file-nul'], {
      cwd,
      env: LITERAL,
    }),
  ).catch(() => {
    // They stay marked as files to be added, and the error of the commit says more.
  });
}

async function headOf({ repository }: FinishPlace): Promise<string> {
  return repository.git.text(['rev-parse', '--verify', 'HEAD'], repository.call());
}

function nothingToCommit(path: string): BatonError {
  return new BatonError('conflict', `Nothing to commit in ${path}.`, {
    hint: 'Its files are the same as in the last commit.',
  });
}
