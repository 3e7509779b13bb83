import { z } from 'zod';
import type { Closed } from '../closed.ts';
import { MERGE_METHODS } from './merge-methods.ts';
import { pullRequestRefSchema } from './pull-request.ts';

const messageSchema = z
  .string()
  .max(100_000)
  .refine((text) => text.trim() !== '', 'The message is empty.');
const branchSchema = z.string().min(1).max(500);
const nameSchema = z.string().min(1).max(200);
const namesSchema = z.array(nameSchema).max(100);

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
  z.strictObject({
    action: z.literal('push'),
    /** Message of the commit of uncommitted work. */
    message: messageSchema.optional(),
    /** Name of the remote; the one of the branch by default, else `origin` or the only one. */
    remote: nameSchema.optional(),
  }),
  z.strictObject({
    action: z.literal('pr'),
    /** Also the message of the commit of uncommitted work; drafted by default. */
    title: z
      .string()
      .max(500)
      .refine((text) => text.trim() !== '' && !text.includes('\n'), 'The title must be one line.')
      .optional(),
    /** The list of commits by default. */
    body: z.string().max(60_000).optional(),
    /** The branch that gets the work, with or without the name of its remote; the one that it started from by default. */
    into: branchSchema.optional(),
    /** Name of the remote that the branch is pushed to. */
    remote: nameSchema.optional(),
    /** These three are settings of the project by default. */
    draft: z.boolean().optional(),
    labels: namesSchema.optional(),
    reviewers: namesSchema.optional(),
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
  /** Files with the markers of a conflict. */
  marked: z.array(z.string()),
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

const pushPlanSchema = z.looseObject({
  remote: z.string(),
  /** Its address, without credentials. */
  url: z.string(),
  branch: z.string(),
  /** Hooks of the repository that run. */
  hooks: z.array(z.string()),
});
export type PushPlan = Closed<z.output<typeof pushPlanSchema>>;

const pullRequestPlanSchema = z.looseObject({
  /** The branch that gets the work, and its remote. */
  base: z.string(),
  base_remote: z.string(),
  title: z.string(),
  body: z.string(),
  draft: z.boolean(),
  labels: z.array(z.string()),
  reviewers: z.array(z.string()),
  /** The program that makes it; null if none is signed in, so that only the branch is pushed. */
  program: z.enum(['gh', 'glab']).nullable(),
  /** The name that the forge has for it. */
  word: z.enum(['pull request', 'merge request']),
  /** Page of the forge on which a person can make it; null for an unknown forge. */
  open_url: z.string().nullable(),
});
export type PullRequestPlan = Closed<z.output<typeof pullRequestPlanSchema>>;

/** The plan of a finish, which a person reads before it happens. */
export const finishPlanSchema = z.looseObject({
  action: z.enum(['commit', 'merge', 'resolve', 'push', 'pr', 'discard']),
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
  /** The push of the branch; null for other actions than `push` and `pr`. */
  push: pushPlanSchema.nullable(),
  /** The pull request after the push. */
  pr: pullRequestPlanSchema.nullable(),
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
  pushed: z.looseObject({ remote: z.string(), branch: z.string() }).nullable(),
  /** The pull request of the branch; null if none was made, see `open_url` of the plan. */
  pull_request: pullRequestRefSchema
    .extend({
      /** False if the branch had an open one before. */
      is_new: z.boolean(),
      /** The error after it was made, so that it may lack labels or reviewers. */
      problem: z.string().optional(),
    })
    .nullable(),
  /** Id of the worktree that was discarded; it can be restored. */
  discarded: z.string().nullable(),
});
export type Finished = Closed<z.output<typeof finishedSchema>>;
