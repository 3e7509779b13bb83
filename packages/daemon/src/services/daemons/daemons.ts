import { daemonsWire } from '@baton/protocol/wire';
import type { DaemonRow } from '@baton/store';
import type { DaemonContext } from '../../context.ts';
import { isAlive } from '../../daemon-heartbeat.ts';
import { moment } from '../../records/record-of.ts';
import { method, type ServiceOf } from '../../service/definition.ts';

/** The daemons that share the database. */
export function daemons({ store }: DaemonContext): ServiceOf<'daemons'> {
  return {
    path: 'daemons',
    about: 'The daemons that share the database.',
    methods: {
      find: method(daemonsWire.find, {
        about: 'Lists daemons and whether each has a recent heartbeat.',
        allow: ['viewer'],
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
