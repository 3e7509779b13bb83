import { type ChangedFile, fileChangeSchema } from '@baton/protocol';
import { z } from 'zod';

const counts = { added: z.int(), removed: z.int() };

/** A file that a session says it changed. */
export const changedFileSchema = z.strictObject({
  path: z.string(),
  /** The name that it had at first, where it was renamed. */
  old_path: z.string().nullable(),
  kind: fileChangeSchema.shape.kind,
  ...counts,
  changes: z.array(
    z.strictObject({
      /** Of the entry that tells of it. */
      cursor: z.int(),
      task_id: z.string().nullable(),
      kind: fileChangeSchema.shape.kind,
      ...counts,
      diff: z.string().nullable(),
      /** Only the beginning of the diff is here, or nothing of it. */
      cut: z.boolean(),
    }),
  ),
});

/** Shows a file that a session changed as services do. */
export function changedFileRecord(file: ChangedFile): z.output<typeof changedFileSchema> {
  const { path, oldPath = null, kind, added, removed, pieces } = file;
  const changes = pieces.map(({ taskId = null, diff = null, ...same }) => ({
    ...same,
    task_id: taskId,
    diff,
  }));
  return { path, old_path: oldPath, kind, added, removed, changes };
}
