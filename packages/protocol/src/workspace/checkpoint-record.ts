import { z } from 'zod';
import type { Closed } from '../closed.ts';

/** The occasion of a checkpoint: a session starts, a turn starts or ends, files are about to be restored or removed. */
export const checkpointKindSchema = z.enum(['start', 'before', 'after', 'undo', 'remove']);
export type CheckpointKind = z.output<typeof checkpointKindSchema>;

/** Files that a checkpoint does not contain. */
export const checkpointGapSchema = z.looseObject({
  kind: z.enum(['too_large', 'too_many', 'nested', 'unreadable']),
  /** Some of the paths. */
  paths: z.array(z.string()),
  count: z.int(),
});
export type CheckpointGap = Closed<z.output<typeof checkpointGapSchema>>;

/** The files of a workspace at one time. */
export const checkpointRecordSchema = z.looseObject({
  /** 1, 2, 3 … within the workspace. */
  number: z.int().positive(),
  /** Commit object in Baton's own repository of the workspace. */
  id: z.string(),
  tree: z.string(),
  kind: checkpointKindSchema,
  session_id: z.string().nullable(),
  task_id: z.string().nullable(),
  /** The beginning of the prompt of the turn. */
  prompt: z.string().nullable().optional(),
  /** The user's commit and branch at that time. */
  head: z.string().nullable(),
  branch: z.string().nullable(),
  /** ISO 8601. */
  created_at: z.string(),
  gaps: z.array(checkpointGapSchema),
});
export type CheckpointRecord = Closed<z.output<typeof checkpointRecordSchema>>;
