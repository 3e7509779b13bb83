import type { ExecutorRow, LeaseRow } from '@baton/store';
import { z } from 'zod';
import { moment } from '../../records/record-of.ts';

export const executorRecordSchema = z.looseObject({
  executor_id: z.string(),
  task_id: z.string(),
  session_id: z.string(),
  daemon_id: z.string(),
  host: z.string(),
  pid: z.int().nullable(),
  started_at: z.iso.datetime(),
  heartbeat_at: z.iso.datetime(),
  progress_at: z.iso.datetime(),
  ended_at: z.iso.datetime().nullable(),
  /** Until when its task is its own without another sign of life; nothing while it has none. */
  lease_expires_at: z.iso.datetime().nullable(),
});

/** An executor as clients see it. */
export function executorRecord(row: ExecutorRow, lease: LeaseRow | undefined) {
  const { started_at, heartbeat_at, progress_at, ended_at, ...rest } = row;
  const { start_ticks: _ticks, spool_folder: _folder, ...same } = rest;
  return {
    ...same,
    started_at: moment(started_at),
    heartbeat_at: moment(heartbeat_at),
    progress_at: moment(progress_at),
    ended_at: ended_at === null ? null : moment(ended_at),
    lease_expires_at: lease ? moment(lease.expires_at) : null,
  };
}
