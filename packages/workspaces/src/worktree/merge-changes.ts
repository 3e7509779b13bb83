import { BatonError } from '@baton/protocol/values';
import type { PrivateRepository } from '../snapshot/private-repository.ts';

type MergeChangesOptions = {
  /** The commit that the changes are relative to. */
  from: string;
  /** The commit that they are applied to. */
  to: string;
  /** The changed tree. */
  tree: string;
};

const MAX_NAMED = 10;

/** Applies uncommitted changes to another commit; rejects with `conflict` if they do not fit. Returns the tree. */
export async function mergeChanges(
  repository: PrivateRepository,
  { from, to, tree }: MergeChangesOptions,
): Promise<string> {
  if (from === to) return tree;
  const { git } = repository;
  const call = repository.objects();
  const commit = (of: string, parents: readonly string[]) =>
    git.text(['commit-tree', of, ...parents.flatMap((each) => ['-p', each])], {
      ...call,
      input: 'merge',
    });
  // Commits of our own, because the histories of the real ones may lack parents, as in shallow clones.
  const base = await commit(`${from}^{tree}`, []);
  const [ours, theirs] = [await commit(`${to}^{tree}`, [base]), await commit(tree, [base])];
  const { code, text } = await git.run(
    ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', ours, theirs],
    { ...call, answers: [1] },
  );
  const [merged = '', ...conflicts] = text.split('\0').filter((part) => part !== '');
  if (code === 0) return merged;
  const names = conflicts.slice(0, MAX_NAMED).join(', ');
  throw new BatonError(
    'conflict',
    `Your uncommitted changes do not apply to the chosen base: ${names}.`,
    { hint: 'Start from HEAD, or without your uncommitted changes.' },
  );
}
