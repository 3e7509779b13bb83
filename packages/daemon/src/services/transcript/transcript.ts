import { ChangedFiles } from '@baton/protocol';
import { z } from 'zod';
import type { DaemonContext } from '../../context.ts';
import { method, type ServiceDefinition } from '../../service/definition.ts';
import { existingSession } from '../existing.ts';
import { changedFileRecord, changedFileSchema } from './changed-file.ts';

/** What every entry has; the rest depends on its kind. */
const entrySchema = z.looseObject({
  kind: z.string(),
  key: z.string(),
  cursor: z.int(),
  through: z.int(),
  time: z.number(),
  open: z.boolean(),
});

/** Sessions as people see them. */
export function transcript({ store }: DaemonContext): ServiceDefinition {
  return {
    path: 'transcript',
    about: 'What people see of a session, as entries that the events behind its cursor go on with.',
    methods: {
      find: method({
        about:
          'Gives the last entries of a session, or those before a cursor, the oldest first; and which earlier ones may still change.',
        allow: ['viewer'],
        query: z.strictObject({
          session_id: z.string(),
          before: z.coerce.number().int().min(1).optional(),
          limit: z.coerce.number().int().min(1).max(1000).default(100),
        }),
        result: z.strictObject({
          entries: z.array(entrySchema),
          /** Prompts that were given earlier, of tasks that begin in the entries. */
          prompts: z.array(entrySchema),
          /** Earlier ones that later events may still change. */
          changing: z.array(entrySchema),
          /** Every event up to it is in the entries. */
          cursor: z.int(),
        }),
        async act({ query: { session_id, before, limit }, principal }) {
          await existingSession(store, session_id, principal);
          return store.transcript(session_id, { before, limit });
        },
      }),
      changes: method({
        about:
          'Gives the files that a session says it changed, each with its changes in their order. Of very long diffs only the beginning is there, and of very many the first; the entry at the cursor has all.',
        allow: ['viewer'],
        data: z.strictObject({
          session_id: z.string(),
          /** Only the files, without what was changed in them. */
          brief: z.boolean().default(false),
        }),
        result: z.strictObject({
          files: z.array(changedFileSchema),
          /** Every event up to it is in the changes. */
          cursor: z.int(),
        }),
        async act({ data: { session_id, brief }, principal }) {
          const { cwd, head_cursor } = await existingSession(store, session_id, principal);
          const changed = new ChangedFiles(cwd);
          for await (const entry of store.fileEntries(session_id)) changed.take(entry);
          const files = changed.list().map(changedFileRecord);
          return {
            files: brief ? files.map((file) => ({ ...file, changes: [] })) : files,
            cursor: head_cursor,
          };
        },
      }),
    },
  };
}
