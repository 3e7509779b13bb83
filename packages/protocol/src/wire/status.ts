import { z } from 'zod';
import { momentSchema } from '../records/session-record.ts';
import type { ServiceWire } from './service.ts';

const daemonStatusSchema = z.strictObject({
  daemon_id: z.string(),
  version: z.string(),
  /** The version of the executor protocol. */
  executor_protocol: z.int(),
  /** Null until the daemon has registered itself. */
  started_at: momentSchema.nullable(),
  database: z.enum(['sqlite', 'postgres']),
  slots: z.int(),
  /** Slots in use on all daemons together; tasks that need input use none. */
  slots_in_use: z.int(),
  /** Tasks that have not ended, by their status. */
  tasks: z.record(z.string(), z.int()),
  pending_requests: z.int(),
  /** The reason why no queued task can start; null if one can, or if the queue is empty. */
  queue_block: z
    .strictObject({
      code: z.enum(['no_slots', 'slots_in_use', 'needs_input', 'no_resources']),
      message: z.string(),
    })
    .nullable(),
});
export type DaemonStatus = z.output<typeof daemonStatusSchema>;

export const statusWire = {
  find: { result: daemonStatusSchema },
} as const satisfies ServiceWire;
