import type { DaemonRow } from '@baton/store';
import { z } from 'zod';
import type { DaemonContext } from '../../context.ts';
import { moment } from '../../records/record-of.ts';
import { method, type ServiceDefinition } from '../../service/definition.ts';
import { isAlive } from './presence.ts';

/** The servers that share the database. */
export function daemons({ store }: DaemonContext): ServiceDefinition {
  return {
    path: 'daemons',
    about: 'The servers that share the database.',
    methods: {
      find: method({
        about: 'Lists them, and tells which ones were heard of lately.',
        allow: ['viewer'],
        result: z.array(
          z.looseObject({
            daemon_id: z.string(),
            host: z.string(),
            url: z.string(),
            version: z.string(),
            slots: z.int(),
            started_at: z.iso.datetime(),
            heartbeat_at: z.iso.datetime(),
            alive: z.boolean(),
          }),
        ),
        async act() {
          const rows = await store.records.daemons.find({ orderBy: ['started_at', 'asc'] });
          return rows.map((row) => daemonRecord(row, store.now()));
        },
      }),
    },
  };
}

function daemonRecord(row: DaemonRow, now: number) {
  return {
    ...row,
    started_at: moment(row.started_at),
    heartbeat_at: moment(row.heartbeat_at),
    alive: isAlive(row, now),
  };
}
