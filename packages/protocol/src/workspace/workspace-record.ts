import { z } from 'zod';
import type { Closed } from '../closed.ts';
import { pullRequestRefSchema } from './pull-request.ts';

/** Kinds of workspaces: a worktree on a branch of its own, the folder itself in its repository, or a folder without Git. */
export const workspaceKindSchema = z.enum(['worktree', 'in_place', 'folder']);
export type WorkspaceKind = z.output<typeof workspaceKindSchema>;

export const workspaceStateSchema = z.enum([
  /** Its worktree is being made. */
  'creating',
  'setting_up',
  /** Made, and no agent has worked in it yet. */
  'ready',
  /** An agent works in it. */
  'in_use',
  'idle',
  /** Its branch is merged into its base. */
  'merged',
  /** Nothing in it is lost when it is removed. */
  'removable',
  /** Its folder is gone; it can be restored until `removed.expires_at`. */
  'removed',
  /** It could not be made or set up; `problem` has the reason. */
  'failed',
]);
export type WorkspaceState = z.output<typeof workspaceStateSchema>;

/** The place in which the agents of a session work, as the machine that has it records it. */
export const workspaceRecordSchema = z.looseObject({
  workspace_id: z.string(),
  kind: workspaceKindSchema,
  state: workspaceStateSchema,
  /** The name of the machine that has it. */
  host: z.string(),
  /** Root of the repository that it was made from; null for a folder without Git. */
  repository: z.string().nullable(),
  /** Root of its files. */
  path: z.string(),
  /** The folder in it that agents start in. */
  cwd: z.string(),
  branch: z.string().nullable(),
  /** The branch or commit that the user started from, as it was named. */
  base_ref: z.string().nullable(),
  base_commit: z.string().nullable(),
  session_id: z.string().nullable(),
  /** The user or program that made it. */
  created_by: z.string().nullable(),
  /** ISO 8601. */
  created_at: z.string(),
  used_at: z.string(),
  /** Ports that no other workspace of the machine has, by the variable that scripts and agents get. */
  ports: z.record(z.string(), z.int()),
  /** Result of the setup script; null if there is none. */
  setup: z
    .looseObject({ exit_code: z.int().nullable(), ended_at: z.string(), from_cache: z.boolean() })
    .nullable(),
  /** The checkpoint and, if the branch was deleted, the commit that restore a removed workspace. */
  removed: z
    .looseObject({
      at: z.string(),
      expires_at: z.string(),
      checkpoint: z.int(),
      commit: z.string().nullable(),
    })
    .nullable(),
  problem: z.string().nullable(),
  /** The pull request of its branch; absent if Baton made none. */
  pull_request: pullRequestRefSchema.optional(),
});
export type WorkspaceRecord = Closed<z.output<typeof workspaceRecordSchema>>;

/** The wish for a workspace that a caller has when a session starts. */
export const workspaceRequestSchema = z.strictObject({
  kind: z.enum(['worktree', 'in_place']),
  /**
   * The id of the worktree, if the caller chooses it: a worktree with this id is used as it is, and made only if there is
   * none. So sessions can share a worktree, and a request that is repeated after a crash makes no second one.
   */
  workspace_id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .optional(),
  /** Part of the branch name and the folder name; made from the prompt by default. */
  name: z.string().min(1).max(100).optional(),
  /** Branch, tag or commit to start from; HEAD of the folder by default. */
  base: z.string().min(1).max(500).optional(),
  /** True to take the uncommitted changes of the folder along. */
  with_changes: z.boolean().optional(),
});
export type WorkspaceRequest = Closed<z.output<typeof workspaceRequestSchema>>;
