import { isFinal, TASK_STATUSES } from '@baton/protocol';
import { z } from 'zod';
import manifest from '../../../package.json' with { type: 'json' };
import type { DaemonContext } from '../../context.ts';
import { moment } from '../../records/record-of.ts';
import { method, type ServiceDefinition } from '../../service/definition.ts';
import { readSettings } from '../../settings/read-settings.ts';
import { isAlive } from '../daemons/presence.ts';
import { type Load, queueBlock, slotsInUse } from './queue-block.ts';

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
          /** Of all daemons together; tasks that need input use none. */
          slots_in_use: z.int(),
          tasks: z.record(z.string(), z.int()),
          pending_requests: z.int(),
          /** Why no queued task can start, once for all of them; null while one can, or nothing is queued. */
          queue_block: z
            .strictObject({
              code: z.enum(['no_slots', 'slots_in_use', 'needs_input']),
              message: z.string(),
            })
            .nullable(),
        }),
        async act() {
          const own = await daemons.get(daemonId);
          const counts = await Promise.all(
            OPEN.map(async (each) => [each, await tasks.count({ status: each })] as const),
          );
          const open: Load['tasks'] = Object.fromEntries(counts);
          const alive = (await daemons.find()).filter((each) => isAlive(each, store.now()));
          const most = (await readSettings(store))['executors.max_awaiting_input'];
          const slots = alive.reduce((sum, each) => sum + each.slots, 0);
          const load = { tasks: open, slots, maxAwaiting: most * alive.length };
          return {
            daemon_id: daemonId,
            version: manifest.version,
            started_at: own ? moment(own.started_at) : null,
            database: store.engine,
            slots: own?.slots ?? 0,
            slots_in_use: slotsInUse(load),
            tasks: open,
            queue_block: queueBlock(load),
            pending_requests: await requests.count({ status: 'pending' }),
          };
        },
      }),
    },
  };
}
