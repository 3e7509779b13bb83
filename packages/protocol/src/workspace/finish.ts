import { z } from 'zod';
import type { Closed } from '../closed.ts';
import { MERGE_METHODS } from './merge-methods.ts';

const messageSchema = z
  .string()
  .max(100_000)
  .refine((text) => text.trim() !== '', 'The message is empty.');
const branchSchema = z.string().min(1).max(500);

/** The end that a person chooses for the work in a folder. */
export const finishSchema = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.literal('commit'),
    /** Drafted from the changed files by default. */
    message: messageSchema.optional(),
    /** Files and folders to commit, relative to the root; all changed files by default. */
    paths: z.array(z.string().min(1).max(4096)).min(1).max(10_000).optional(),
  }),
  z.strictObject({
    action: z.literal('merge'),
    message: messageSchema.optional(),
    method: z.enum(MERGE_METHODS).default('squash'),
    /** The branch that gets the work; the one that it started from by default. */
    into: branchSchema.optional(),
  }),
  z.strictObject({
    /** Starts a merge of a branch into that of the work, and leaves its conflicts in the files. */
    action: z.literal('resolve'),
    into: branchSchema.optional(),
  }),
  z.strictObject({ action: z.literal('discard') }),
]);
/** A wish to finish as callers write it. */
export type FinishRequest = z.input<typeof finishSchema>;
export type FinishAction = FinishRequest['action'];

const commitPlanSchema = z.looseObject({
  message: z.string(),
  /** Null if HEAD is detached. */
  branch: z.string().nullable(),
  files: z.int(),
  additions: z.int(),
  deletions: z.int(),
  /** The first of these files. */
  paths: z.array(z.string()),
  /** Hooks of the repository that run. */
  hooks: z.array(z.string()),
  /** Files and folders that are not committed: too large ones, submodules, nested repositories. */
  left: z.array(z.string()),
});
export type CommitPlan = Closed<z.output<typeof commitPlanSchema>>;

const mergePlanSchema = z.looseObject({
  method: z.enum(MERGE_METHODS),
  /** The branch that moves. */
  target: z.string(),
  /** The commit that it is at. */
  from: z.string(),
  /** The commit whose work it gets. */
  head: z.string(),
  /** The commit since which the branch has work of its own. */
  base: z.string(),
  /** Commits of the branch that the target does not have, oldest first. */
  commits: z.array(z.looseObject({ id: z.string(), subject: z.string() })),
  /** The working tree that has the target checked out, and is updated; null if there is none. */
  checkout: z.string().nullable(),
  /** Files that both sides changed in different ways; nothing is merged unless it is empty. */
  conflicts: z.array(z.string()),
});
export type MergePlan = Closed<z.output<typeof mergePlanSchema>>;

/** The plan of a finish, which a person reads before it happens. */
export const finishPlanSchema = z.looseObject({
  action: z.enum(['commit', 'merge', 'resolve', 'discard']),
  path: z.string(),
  /** The branch of the work; null if HEAD is detached. */
  branch: z.string().nullable(),
  /** All of it in a sentence or two. */
  sentence: z.string(),
  /** False if there is nothing to do, or conflicts prevent it; `sentence` says which. */
  is_possible: z.boolean(),
  /** Hash of the files and branches that the plan is about: a finish with an older one is refused. */
  state: z.string(),
  /** Message of the new commit; null for a discard. */
  message: z.string().nullable(),
  /** The author of new commits in the form of Git; null for a discard. */
  author: z.string().nullable(),
  /** The commit of what is not committed yet; null if there is nothing. */
  commit: commitPlanSchema.nullable(),
  merge: mergePlanSchema.nullable(),
});
export type FinishPlan = Closed<z.output<typeof finishPlanSchema>>;

/** The result of a finish. */
export const finishedSchema = finishPlanSchema.extend({
  /** Id of the commit of the work; null if none was made. */
  committed: z.string().nullable(),
  /** Number of committed files. */
  files: z.int(),
  merged: z
    .looseObject({
      target: z.string(),
      from: z.string(),
      commit: z.string(),
      checkout: z.string().nullable(),
    })
    .nullable(),
  /** The merge that was started, for somebody who resolves its conflicts. */
  resolving: z
    .looseObject({
      target: z.string(),
      /** Files with conflict markers. */
      conflicts: z.array(z.string()),
      /** Subjects of the commits that only the branch, and only the target, has. */
      ours: z.array(z.string()),
      theirs: z.array(z.string()),
    })
    .nullable(),
  /** Id of the worktree that was discarded; it can be restored. */
  discarded: z.string().nullable(),
});
export type Finished = Closed<z.output<typeof finishedSchema>>;
