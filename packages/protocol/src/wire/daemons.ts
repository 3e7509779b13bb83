import { z } from 'zod';
import type { Closed } from '../closed.ts';
import { momentSchema } from '../records/session-record.ts';
import type { ServiceWire } from './service.ts';

/** A server that shares the database. */
const daemonRecordSchema = z.looseObject({
  daemon_id: z.string(),
  host: z.string(),
  url: z.string(),
  version: z.string(),
  slots: z.int(),
  started_at: momentSchema,
  heartbeat_at: momentSchema,
  alive: z.boolean(),
});
export type DaemonRecord = Closed<z.output<typeof daemonRecordSchema>>;

export const daemonsWire = {
  find: { result: z.array(daemonRecordSchema) },
} as const satisfies ServiceWire;
