import { chainRunRecord } from '@baton/orchestra';
import { BatonError, type ChainEvent } from '@baton/protocol';
import { chainRunsWire } from '@baton/protocol/wire';
import type { ChainMoved, ChainRunRow, Store } from '@baton/store';
import { userIdOf } from '../../access/principal.ts';
import type { DaemonContext } from '../../context.ts';
import { method, type ServiceOf } from '../../service/definition.ts';
import { pageOf } from '../../service/query.ts';
import { isTrusted } from '../chains/chains.ts';
import { loadChainsFile } from '../chains/load-chains-file.ts';

/** Executions of chains. */
export function chainRuns(context: DaemonContext): ServiceOf<'chain-runs'> {
  const { store, chains, feed } = context;
  const record = (row: ChainRunRow) => chainRunRecord(row, chains.isOwned(row));
  const existing = async (id: string) => {
    const row = await store.records.chainRuns.get(id);
    if (row) return row;
    throw new BatonError('not_found', `Chain run "${id}" not found.`);
  };
  return {
    path: 'chain-runs',
    about: 'Executions of chains: each step that runs an agent is a task in a session of its own.',
    methods: {
      find: method(chainRunsWire.find, {
        about: 'Lists chain runs, newest first.',
        allow: ['viewer'],
        act: ({ query: { limit, skip, ...where } }) =>
          pageOf(
            store.records.chainRuns,
            { where, orderBy: ['created_at', 'desc'], limit, skip },
            record,
          ),
      }),
      get: method(chainRunsWire.get, {
        about: 'Returns one chain run.',
        allow: ['viewer'],
        act: async ({ id }) => record(await existing(id)),
      }),
      create: method(chainRunsWire.create, {
        about:
          'Starts a chain of a trusted file. Every backend, option and input is checked before anything starts.',
        allow: ['member'],
        async act({ data, principal }) {
          const { file, chain, inputs, cwd, chain_run_id: runId } = data;
          const known = runId === undefined ? undefined : await store.records.chainRuns.get(runId);
          if (known) return record(known);
          const loaded = await loadChainsFile(context, file);
          if (!(await isTrusted(store, loaded.hash))) throw untrusted(file);
          const started = await chains.start({
            ...{ chain: loaded.chain(chain), inputs, file, fileHash: loaded.hash, runId },
            cwd: cwd ?? loaded.folder,
            by: userIdOf(principal),
          });
          return record(await existing(started.runId));
        },
      }),
      resume: method(chainRunsWire.resume, {
        about:
          'Continues a run that was interrupted. With `restart`, failed and interrupted steps of a run that has ended run again; finished steps never do.',
        allow: ['member'],
        async act({ data: { chain_run_id, restart }, principal }) {
          await existing(chain_run_id);
          await chains.resume(chain_run_id, { restart, by: userIdOf(principal) });
          return record(await existing(chain_run_id));
        },
      }),
      stop: method(chainRunsWire.stop, {
        about: 'Stops a run and every running step of it.',
        allow: ['member'],
        async act({ data: { chain_run_id, reason }, principal }) {
          await chains.stop(chain_run_id, { by: userIdOf(principal), reason });
          return record(await existing(chain_run_id));
        },
      }),
      answer: method(chainRunsWire.answer, {
        about: 'Approves or rejects an approval step. The first answer counts.',
        allow: ['member'],
        async act({ data: { chain_run_id, step, decision, comment }, principal }) {
          const by = userIdOf(principal);
          await chains.answer(chain_run_id, step, { decision, comment, by });
          return record(await existing(chain_run_id));
        },
      }),
      events: method(chainRunsWire.events, {
        about: 'Returns the events of a run after a number; long-polls if there are none.',
        allow: ['viewer'],
        waits: true,
        async act({ data: { chain_run_id, after, limit, wait } }) {
          await existing(chain_run_id);
          const events = await nextEvents(store, chain_run_id, {
            ...{ after, limit, wait, closed: feed.closed },
          });
          return { events, seq: events.at(-1)?.seq ?? after };
        },
      }),
    },
  };
}

type Wait = {
  after: number;
  limit: number;
  /** Milliseconds. */
  wait: number;
  /** Aborts when the daemon ends: a process does not end while a timer runs. */
  closed: AbortSignal;
};

async function nextEvents(
  store: Store,
  runId: string,
  { after, limit, wait, closed }: Wait,
): Promise<ChainEvent[]> {
  const { promise: moved, resolve } = Promise.withResolvers<void>();
  const settle = () => resolve();
  const onChain = (each: ChainMoved) => {
    if (each.runId === runId) settle();
  };
  // Listen first: what comes while the events are read must not be missed.
  store.wakeUps.on('chain', onChain);
  store.wakeUps.on('all', settle);
  closed.addEventListener('abort', settle);
  const timer = setTimeout(settle, wait);
  try {
    const there = await store.chainRuns.read(runId, after, limit);
    if (there.length > 0 || wait === 0 || closed.aborted) return there;
    await moved;
    if (closed.aborted) return [];
    return await store.chainRuns.read(runId, after, limit);
  } finally {
    clearTimeout(timer);
    store.wakeUps.off('chain', onChain);
    store.wakeUps.off('all', settle);
    closed.removeEventListener('abort', settle);
  }
}

function untrusted(file: string): BatonError {
  return new BatonError('forbidden', `The chains file is not trusted: ${file}`, {
    hint: 'Review what it allows and trust it on the page, or with "baton chain run --trust".',
  });
}
