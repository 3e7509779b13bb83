import type { PrivateRepository } from '../snapshot/private-repository.ts';

type ThreeTrees = {
  /** The common ancestor. */
  base: string;
  ours: string;
  theirs: string;
};

type MergedTree = {
  /** The merged tree; files with conflicts have markers in it. */
  tree: string;
  /** Paths with conflicts; empty if the merge is clean. */
  conflicts: readonly string[];
};

/**
 * Merges trees without a working tree, in Baton's repository: no merge driver of the user's repository runs. Commits or
 * trees may be given.
 */
export async function mergedTree(
  repository: PrivateRepository,
  { base, ours, theirs }: ThreeTrees,
): Promise<MergedTree> {
  const { git } = repository;
  const call = repository.objects();
  const commit = async (of: string, parents: readonly string[]) => {
    const tree = await git.text(['rev-parse', '--verify', `${of}^{tree}`], call);
    const flags = parents.flatMap((parent) => ['-p', parent]);
    return git.text(['commit-tree', tree, ...flags], { ...call, input: 'merge' });
  };
  // Commits of our own, because the histories of the real ones may lack parents, as in shallow clones.
  const root = await commit(base, []);
  const [first, second] = [await commit(ours, [root]), await commit(theirs, [root])];
  const { text } = await git.run(
    ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', first, second],
    { ...call, answers: [1] },
  );
  const [tree = '', ...conflicts] = text.split('\0').filter((part) => part !== '');
  return { tree, conflicts: [...new Set(conflicts)] };
}
