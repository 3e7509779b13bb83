import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BatonError, type Finished, type MergePlan } from '@baton/protocol/values';
import type { FinishPlace } from './finish-place.ts';
import { type PersonCall, personGit } from './person-git.ts';
import { commitsBetween } from './plan-merge.ts';

/** Subjects of commits that are named to somebody who resolves conflicts. */
const MAX_SUBJECTS = 20;

/** Starts a merge of the target into the branch in its working tree, where its conflicts can be resolved. */
export async function startMerge(
  { path: cwd, repository }: FinishPlace,
  { target, base, from, conflicts, commits }: MergePlan,
  { onLine, signal }: Pick<PersonCall, 'onLine' | 'signal'>,
): Promise<Finished['resolving']> {
  const said: string[] = [];
  await personGit(['merge', '--no-commit', '--no-ff', '--quiet', `heads/${target}`], {
    ...{ cwd, signal },
    // It ends like this if there are conflicts.
    answers: [1],
    onLine(line, stream) {
      said.push(line);
      onLine?.(line, stream);
    },
  });
  if (!existsSync(join(repository.place.gitDir, 'MERGE_HEAD'))) {
    throw new BatonError('git_failed', `git merge failed: ${said.join('\n')}`, {
      hint: 'Its output says why.',
    });
  }
  const theirs = await commitsBetween(repository, base, from);
  const subjects = (list: readonly { subject: string }[]) =>
    list.slice(-MAX_SUBJECTS).map(({ subject }) => subject);
  return { target, conflicts, ours: subjects(commits), theirs: subjects(theirs) };
}
