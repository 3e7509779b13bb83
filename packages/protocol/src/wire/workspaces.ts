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
  /** The place of sessions that choose none, as the settings of the project say; null if they do not. */
  default_kind: z.enum(['worktree', 'in_place']).nullable(),
  /** Sessions with open tasks that work in this folder, not in worktrees of their own. */
  busy: z.array(z.looseObject({ session_id: z.string(), title: z.string() })),
});
export type WorkspaceFolder = Closed<z.output<typeof folderSchema>>;

/** A run of a script in a workspace: the setup, or the dev server. */
const scriptRunSchema = z.looseObject({
  /** `stopped`: somebody ended it. `exited`: it ended on its own, or could not be started. */
  state: z.enum(['running', 'exited', 'stopped']),
  /** Null while it runs, and if it was killed or stopped. */
  exit_code: z.int().nullable(),
  /** ISO 8601. */
  started_at: z.string(),
  ended_at: z.string().nullable(),
  /** The reason if it could not be started or failed. */
  problem: z.string().nullable(),
  /** The last lines of its output; none if another program runs it. */
  output: z.array(z.string()),
});
export type ScriptRun = Closed<z.output<typeof scriptRunSchema>>;

const scriptSchema = z.looseObject({
  /** True if the settings of the project have this script and may be used. */
  is_configured: z.boolean(),
  /** The current run, or else the last one of this daemon. */
  run: scriptRunSchema.nullable(),
});

const workspaceScriptsSchema = z.looseObject({
  workspace_id: z.string(),
  /** Ports of the workspace, by the variable that scripts and agents get. */
  ports: z.record(z.string(), z.int()),
  setup: scriptSchema,
  dev_server: scriptSchema,
  /** The project's file if its folder is not trusted, so that its scripts are not used. */
  untrusted: z.string().nullable(),
});
export type WorkspaceScripts = Closed<z.output<typeof workspaceScriptsSchema>>;

/** Scripts of a workspace that can be started and stopped. */
export const WORKSPACE_SCRIPTS = ['setup', 'dev_server'] as const;
const scriptNameSchema = z.enum(WORKSPACE_SCRIPTS);
export type WorkspaceScriptName = z.output<typeof scriptNameSchema>;

const removedSchema = workspaceRecordSchema.extend({
  /** Result of the cleanup script; null if there is none. A failed one only if the removal was forced. */
  cleanup: z
    .looseObject({
      exit_code: z.int().nullable(),
      problem: z.string().nullable(),
      /** The last lines of its output. */
      output: z.array(z.string()),
    })
    .nullable(),
});

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
      /** True to remove it although work would be lost or its cleanup script fails; it can be restored for 30 days. */
      force: z.boolean().default(false),
    }),
    result: removedSchema,
  },
  scripts: { data: z.strictObject(byId), result: workspaceScriptsSchema },
  startScript: {
    data: z.strictObject({ ...byId, script: scriptNameSchema }),
    result: workspaceScriptsSchema,
  },
  stopScript: {
    data: z.strictObject({ ...byId, script: scriptNameSchema }),
    result: workspaceScriptsSchema,
  },
  restore: { data: z.strictObject(byId), result: workspaceRecordSchema },
} as const satisfies ServiceWire;
