/** Ways to bring a branch into another: as one commit, with a merge commit, or with its commits on top. */
export const MERGE_METHODS = ['squash', 'merge', 'rebase'] as const;
export type MergeMethod = (typeof MERGE_METHODS)[number];
