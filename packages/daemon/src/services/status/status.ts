import { isFinal, TASK_STATUSES } from '@baton/protocol';
import type { DaemonContext } from '../../context.ts';
import { moment } from '../../records/record-of.ts';
import { method, type ServiceDefinition } from '../../service/definition.ts';

const OPEN = TASK_STATUSES.filter((status) => !isFinal(status));

/** How the daemon is, in a few numbers. */
export function status({ store, daemonId, facts }: DaemonContext): ServiceDefinition {
  const { tasks, requests } = store.records;
  return {
    path: 'status',
    about: 'How the daemon is, in a few numbers.',
    methods: {
      find: method({
        about: 'Tells the version, the database, and how many tasks and requests there are.',
        allow: ['viewer'],
        async act() {
          const counts = await Promise.all(
            OPEN.map(async (each) => [each, await tasks.count({ status: each })] as const),
          );
          return {
            daemon_id: daemonId,
            version: facts.version,
            started_at: moment(facts.startedAt),
            database: store.engine,
            slots: facts.slots,
            /** Tasks that have not ended, by their status. */
            tasks: Object.fromEntries(counts),
            pending_requests: await requests.count({ status: 'pending' }),
          };
        },
      }),
    },
  };
}
