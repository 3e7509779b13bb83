import { z } from 'zod';

const text = z.string().min(1).max(20_000);
const path = z.string().min(1).max(4096);
const name = z.string().min(1).max(200);
const script = z.union([text, z.array(text).min(1).max(200)]);
const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable');

/** Settings of the workspaces of a project: `workspace` in `baton.json` and in the user's own file. */
export const workspaceSettingsSchema = z.strictObject({
  /** Runs in a new workspace before the agent starts. */
  setup: script.optional(),
  /** Runs before a workspace is removed. */
  cleanup: script.optional(),
  /** Runs until it is stopped, with the ports of the workspace. */
  devServer: script.optional(),
  /** Files that Git does not have, copied from the source folder. */
  copy: z.array(path).max(100).optional(),
  /** Variables for scripts and agents. */
  env: z.record(variable, z.string().max(20_000)).optional(),
  /** Variables that get a port of their own in each workspace. */
  ports: z.array(variable).max(50).optional(),
  setupTimeoutSec: z.int().min(1).max(86_400).optional(),
  cleanupTimeoutSec: z.int().min(1).max(86_400).optional(),
  cache: z
    .strictObject({
      /** Files that decide if a result can be used again. */
      key: z.array(path).min(1).max(100),
      /** Files and folders that the setup makes. */
      paths: z.array(path).min(1).max(100),
    })
    .optional(),
  /** Branch, tag or commit to start from. */
  base: z.string().min(1).max(500).optional(),
  default: z.enum(['worktree', 'in_place']).optional(),
  /** Template of branch names, with `<slug>`. */
  branchTemplate: z.string().min(1).max(200).includes('<slug>').optional(),
  /** Folder of new worktrees. */
  folder: path.optional(),
  /** Properties of new pull requests. */
  pullRequest: z
    .strictObject({
      draft: z.boolean().optional(),
      labels: z.array(name).max(100).optional(),
      reviewers: z.array(name).max(100).optional(),
    })
    .optional(),
});
export type WorkspaceSettings = z.output<typeof workspaceSettingsSchema>;
