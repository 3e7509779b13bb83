import { isFinal, TASK_STATUSES } from '@baton/protocol';
import { z } from 'zod';
import manifest from '../../../package.json' with { type: 'json' };
import type { DaemonContext } from '../../context.ts';
import { moment } from '../../records/record-of.ts';
import { method, type ServiceDefinition } from '../../service/definition.ts';

const OPEN = TASK_STATUSES.filter((status) => !isFinal(status));

/** How the daemon is, in a few numbers. */
export function status({ store, daemonId }: DaemonContext): ServiceDefinition {
  const { daemons, tasks, requests } = store.records;
  return {
    path: 'status',
    about: 'How the daemon is, in a few numbers.',
    methods: {
      find: method({
        about:
          'Tells the version, the database, and how many tasks and requests there are; tasks by status, as long as they have not ended.',
        allow: ['viewer'],
        result: z.strictObject({
          daemon_id: z.string(),
          version: z.string(),
          /** Nothing while it is only just beginning. */
          started_at: z.iso.datetime().nullable(),
          database: z.enum(['sqlite', 'postgres']),
          slots: z.int(),
          tasks: z.record(z.string(), z.int()),
          pending_requests: z.int(),
        }),
        async act() {
          const own = await daemons.get(daemonId);
          const counts = await Promise.all(
            OPEN.map(async (each) => [each, await tasks.count({ status: each })] as const),
          );
          return {
            daemon_id: daemonId,
            version: manifest.version,
            started_at: own ? moment(own.started_at) : null,
            database: store.engine,
            slots: own?.slots ?? 0,
            tasks: Object.fromEntries(counts),
            pending_requests: await requests.count({ status: 'pending' }),
          };
        },
      }),
    },
  };
}
