import { z } from 'zod';
import type { Closed } from '../closed.ts';
import { checkpointGapSchema, checkpointRecordSchema } from '../workspace/checkpoint-record.ts';
import { fileDifferenceSchema } from '../workspace/file-difference.ts';
import { flagSchema } from './page.ts';
import { emptySchema, type ServiceWire } from './service.ts';

/** Two states of the files to compare: one turn, since the session began, or since the base of its branch. */
const comparisonSchema = z.strictObject({
  session_id: z.string(),
  compare: z.enum(['turn', 'session', 'base']).default('session'),
  /** The turn; the latest by default. */
  task_id: z.string().optional(),
  ignore_space: flagSchema.default(false),
});
export type ChangeQuery = z.input<typeof comparisonSchema>;

/** The cause of a changed file, from the events of the session. */
const originSchema = z.looseObject({
  /** `agent`: an edit of the agent. `command`: changed while commands of the agent ran. `other`: by somebody else. */
  by: z.enum(['agent', 'command', 'other']),
  /** The last turn that changed the file; null for changes of others. */
  task_id: z.string().nullable(),
  /** The cursor of the transcript entry with the edit, if the agent reported one. */
  cursor: z.int().nullable(),
});
export type ChangeOrigin = Closed<z.output<typeof originSchema>>;

const changedFileSchema = fileDifferenceSchema.extend({ origin: originSchema });
export type TrueChange = Closed<z.output<typeof changedFileSchema>>;

const changesSchema = z.looseObject({
  /** Trees that were compared. */
  from: z.string(),
  to: z.string(),
  files: z.array(changedFileSchema),
  /** Number of changed files, of which `files` may have only the first. */
  total: z.int(),
  additions: z.int(),
  deletions: z.int(),
  /** Parts of the folder that were not looked at. */
  gaps: z.array(checkpointGapSchema),
  /** Time at which the files were read, ISO 8601. */
  as_of: z.string(),
});
export type TrueChanges = Closed<z.output<typeof changesSchema>>;

/** Number of files in a report; more of them are only counted. */
const MAX_REPORTED_FILES = 2000;
/** Size of the patch in a report, before it is compressed. */
export const MAX_REPORTED_PATCH_BYTES = 2 * 1024 * 1024;

const MAX_WAIT_MS = 30_000;

const treeSchema = z.string().regex(/^[0-9a-f]{40,64}$/);

/** The change of files that a daemon cannot read itself, because they are on another machine. */
const reportSchema = z.strictObject({
  compare: z.enum(['turn', 'session', 'base']),
  from: treeSchema,
  to: treeSchema,
  /** Root of the files. */
  root: z.string().max(4096),
  files: z.array(fileDifferenceSchema).max(MAX_REPORTED_FILES),
  total: z.int().min(0),
  additions: z.int().min(0),
  deletions: z.int().min(0),
  gaps: z.array(checkpointGapSchema).max(10),
  /** The tasks whose turns changed each file. */
  turns: z
    .array(z.strictObject({ path: z.string(), tasks: z.array(z.string()).max(100) }))
    .max(MAX_REPORTED_FILES),
  /** The difference as a patch: gzip, in base64. Null if it is too large. */
  patch: z
    .string()
    .max(2 * MAX_REPORTED_PATCH_BYTES)
    .nullable(),
});
export type ChangeReport = z.output<typeof reportSchema>;

const patchSchema = z.strictObject({
  session_id: z.string(),
  from: treeSchema,
  to: treeSchema,
  path: z.string().max(4096).optional(),
  old_path: z.string().max(4096).optional(),
  context: z.coerce.number().int().min(0).max(100_000).default(3),
  ignore_space: flagSchema.default(false),
});

/** Files that two running sessions change in the same folder or repository. */
const overlapSchema = z.looseObject({
  session_id: z.string(),
  title: z.string(),
  paths: z.array(z.string()),
});
export type Overlap = Closed<z.output<typeof overlapSchema>>;

export const changesWire = {
  find: { query: comparisonSchema, result: changesSchema },
  diff: { data: patchSchema, result: z.strictObject({ patch: z.string(), cut: z.boolean() }) },
  content: {
    data: z.strictObject({
      session_id: z.string(),
      tree: treeSchema,
      path: z.string().min(1).max(4096),
    }),
    /** The bytes in base64; null if the tree has no such file. `cut` is true, without content, for a file over 5 MB. */
    result: z.strictObject({ content: z.string().nullable(), cut: z.boolean() }),
  },
  report: { data: reportSchema, result: emptySchema },
  wait: {
    data: z.strictObject({ wait_ms: z.int().min(0).max(MAX_WAIT_MS) }),
    result: z.strictObject({ is_asked: z.boolean() }),
  },
  answer: { data: emptySchema, result: emptySchema },
  overlaps: {
    data: z.strictObject({ session_id: z.string() }),
    result: z.array(overlapSchema),
  },
} as const satisfies ServiceWire;

const undoSchema = z.strictObject({
  session_id: z.string(),
  /** The turn to undo, with everything after it; the latest by default. */
  task_id: z.string().optional(),
  /** A checkpoint to go back to instead of a turn. */
  checkpoint: z.int().positive().optional(),
  /** Only these files. */
  paths: z.array(z.string().min(1).max(4096)).min(1).max(1000).optional(),
});
export type UndoRequest = z.input<typeof undoSchema>;

export const checkpointsWire = {
  find: {
    query: z.strictObject({ session_id: z.string() }),
    result: z.array(checkpointRecordSchema),
  },
  undo: {
    data: undoSchema,
    result: z.strictObject({
      /** The checkpoint with the files before the undo; going back to it takes the undo back. */
      before: checkpointRecordSchema,
      files: z.array(fileDifferenceSchema),
      total: z.int(),
      /** Files of the turn that somebody has changed since: they stay as they are, unless they are named in `paths`. */
      kept: z.array(z.string()),
    }),
  },
} as const satisfies ServiceWire;
