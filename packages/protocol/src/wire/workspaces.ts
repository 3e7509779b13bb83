import { z } from 'zod';
import type { Closed } from '../closed.ts';
import { workspaceRecordSchema } from '../workspace/workspace-record.ts';
import type { ServiceWire } from './service.ts';

/** Facts about a workspace that are read from its files. */
const workspaceStatusSchema = z.looseObject({
  /** Commits that its branch has and its base has not, and the reverse; null if there is no branch. */
  ahead: z.int().nullable(),
  behind: z.int().nullable(),
  files: z.int(),
  additions: z.int(),
  deletions: z.int(),
  /** Size on the disk; null if it could not be read in time. */
  bytes: z.int().nullable(),
  /** Work that would be lost with it, in sentences; empty if it can be removed. */
  unsaved: z.array(z.string()),
});
export type WorkspaceStatus = Closed<z.output<typeof workspaceStatusSchema>>;

const listedWorkspaceSchema = workspaceRecordSchema.extend({
  session_title: z.string().nullable(),
  /** Null if it is on another machine or cannot be read; `problem` has the reason. */
  status: workspaceStatusSchema.nullable(),
});
export type ListedWorkspace = Closed<z.output<typeof listedWorkspaceSchema>>;

/** A folder as the start of a session sees it. */
const folderSchema = z.looseObject({
  folder: z.string(),
  /** Root of the repository; null for a folder without Git. */
  repository: z.string().nullable(),
  branch: z.string().nullable(),
  /** True if a worktree can be made: the repository has a commit. */
  can_have_worktree: z.boolean(),
  /** Sessions with open tasks that work in this folder, not in worktrees of their own. */
  busy: z.array(z.looseObject({ session_id: z.string(), title: z.string() })),
});
export type WorkspaceFolder = Closed<z.output<typeof folderSchema>>;

const byId = { workspace_id: z.string().min(1).max(100) };

export const workspacesWire = {
  find: {
    query: z.strictObject({ stale_days: z.coerce.number().min(0).max(3650).optional() }),
    result: z.array(listedWorkspaceSchema),
  },
  inspect: { data: z.strictObject({ folder: z.string().min(1).max(4096) }), result: folderSchema },
  removeWorktree: {
    data: z.strictObject({
      ...byId,
      /** True to remove it although work would be lost; it can be restored for 30 days. */
      force: z.boolean().default(false),
    }),
    result: workspaceRecordSchema,
  },
  restore: { data: z.strictObject(byId), result: workspaceRecordSchema },
} as const satisfies ServiceWire;
