import { type UsageGroup, usageWire } from '@baton/protocol/wire';
import type { DaemonContext } from '../../context.ts';
import { method, type ServiceOf } from '../../service/definition.ts';

/** Usage of tasks. */
export function usage({ store }: DaemonContext): ServiceOf<'usage'> {
  return {
    path: 'usage',
    about: 'Usage of tasks.',
    methods: {
      find: method(usageWire.find, {
        about:
          'Aggregates tasks created in a period (inclusive start, exclusive end) by day (UTC), session, backend, user, model (the one used by the agent, else the requested one), folder or outcome, or by two of these, as in `day,backend`.',
        allow: ['viewer'],
        async act({ query: { from, to, group_by } }) {
          const sums = await store.usage({
            groupBy: group_by,
            from: from === undefined ? undefined : Date.parse(from),
            to: to === undefined ? undefined : Date.parse(to),
          });
          return sums.map((sum) => ({
            key: sum.keys[0] ?? null,
            group: named(group_by, sum.keys),
            tasks: sum.tasks,
            input_tokens: sum.inputTokens,
            output_tokens: sum.outputTokens,
            cost_usd: sum.costUsd,
            cost_estimated: sum.costEstimated,
            duration_ms: sum.durationMs,
            done: sum.done,
            failed: sum.failed,
            cancelled: sum.cancelled,
            timed_out: sum.timedOut,
          }));
        },
      }),
    },
  };
}

function named(groups: readonly UsageGroup[], keys: readonly (string | null)[]) {
  return Object.fromEntries(groups.map((group, index) => [group, keys[index] ?? null]));
}
