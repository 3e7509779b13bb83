import { z } from 'zod';
import type { Closed } from '../closed.ts';
import { sessionRecordSchema } from '../records/session-record.ts';
import { type LogEvent, logEventSchema } from '../session/session-event.ts';
import type { ServiceWire } from './service.ts';

const MOST_EVENTS = 5000;

/** Pattern of ids, which become file names, such as those of spools. */
const ID = /^[\w-][\w.-]{0,199}$/;
const BAD_ID = 'ids may contain only letters, digits, ".", "_" and "-"';

function hasIds(event: LogEvent): boolean {
  const { taskId, executorId } = event as { taskId?: string; executorId?: string };
  return [taskId, executorId].every((id) => id === undefined || ID.test(id));
}

/** A piece of the log of a session; `done` marks the last one. */
const importPieceSchema = z.strictObject({
  session_id: z.string().regex(ID, BAD_ID),
  events: z.array(logEventSchema.refine(hasIds, BAD_ID)).max(MOST_EVENTS),
  done: z.boolean().default(false),
});

/** Progress of the import of a session. */
const importReceiptSchema = z.strictObject({
  cursor: z.int(),
  /** Only in the response to the last piece. */
  session: sessionRecordSchema.optional(),
  ended_tasks: z.int().optional(),
  /** False if the daemon already had the session. */
  is_new: z.boolean().optional(),
});
export type ImportReceipt = Closed<z.output<typeof importReceiptSchema>>;

export const importsWire = {
  create: { data: importPieceSchema, result: importReceiptSchema },
} as const satisfies ServiceWire;
