import { isFinal, TASK_STATUSES, VERSION } from '@baton/protocol';
import { EXECUTOR_PROTOCOL, statusWire } from '@baton/protocol/wire';
import type { DaemonContext } from '../../context.ts';
import { isAlive } from '../../daemon-heartbeat.ts';
import { moment } from '../../records/record-of.ts';
import { method, type ServiceOf } from '../../service/definition.ts';
import { readSettings } from '../../settings/read-settings.ts';
import { type Load, queueBlock, slotsInUse } from './queue-block.ts';

const OPEN = TASK_STATUSES.filter((status) => !isFinal(status));

/** The status of the daemon. */
export function status({ store, daemonId, shortage }: DaemonContext): ServiceOf<'status'> {
  const { daemons, tasks, requests } = store.records;
  return {
    path: 'status',
    about: 'The status of the daemon.',
    methods: {
      find: method(statusWire.find, {
        about:
          'Returns the version, the database, the number of unfinished tasks by status, and the number of pending requests.',
        allow: ['viewer'],
        async act() {
          const own = await daemons.get(daemonId);
          const counts = await Promise.all(
            OPEN.map(async (each) => [each, await tasks.count({ status: each })] as const),
          );
          const open: Load['tasks'] = Object.fromEntries(counts);
          const alive = (await daemons.find()).filter((each) => isAlive(each, store.now()));
          const most = (await readSettings(store))['executors.max_awaiting_input'];
          const slots = alive.reduce((sum, each) => sum + each.slots, 0);
          const paused = await tasks.count({ status: 'AWAITING_PERMISSION', executor_id: null });
          const maxAwaiting = most * alive.length + paused;
          const load = { tasks: open, slots, maxAwaiting, shortage: shortage() };
          return {
            daemon_id: daemonId,
            version: VERSION,
            executor_protocol: EXECUTOR_PROTOCOL,
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
