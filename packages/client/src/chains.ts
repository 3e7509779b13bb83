import type { ChainEvent } from '@baton/protocol';
import type { ChainAnswer, DataOf, NewChainRun, QueryOf } from '@baton/protocol/wire';
import type { Call } from './call.ts';
import { retryWhileUnreachable } from './retry-while-unreachable.ts';

/** Time that one call waits for events. */
const WAIT_MS = 25_000;

/** The services of chains. */
export function chains(call: Call, closed: AbortSignal) {
  const events = (query: DataOf<'chain-runs', 'events'>) => call('chain-runs', 'events', query);
  return {
    chains: {
      /** Lists the chains files of a folder, or of all folders that the daemon knows. */
      find: (query: QueryOf<'chains', 'find'> = {}) => call('chains', 'find', query),
      /** Trusts the content of a chains file. */
      trust: (file: DataOf<'chains', 'trust'>) => call('chains', 'trust', file),
    },
    chainRuns: {
      /** Lists chain runs, the newest first. */
      find: (query: QueryOf<'chain-runs', 'find'> = {}) => call('chain-runs', 'find', query),
      /** Returns one chain run. */
      get: (id: string) => call('chain-runs', 'get', id),
      /** Starts a chain of a trusted file. Idempotent: a second call with the same UUID returns the same run. */
      create: (run: NewChainRun) => call('chain-runs', 'create', run),
      /** Continues a run; with `restart` its failed and interrupted steps run again. */
      resume: (id: string, options: { restart?: boolean } = {}) =>
        call('chain-runs', 'resume', { chain_run_id: id, ...options }),
      /** Stops a run with all of its steps. */
      stop: (id: string, reason?: string) =>
        call('chain-runs', 'stop', { chain_run_id: id, ...(reason ? { reason } : {}) }),
      /** Approves or rejects an approval step. */
      answer: (id: string, answer: ChainAnswer) =>
        call('chain-runs', 'answer', { chain_run_id: id, ...answer }),
      /** Returns the events after a number; with `wait`, waits until there is one. */
      events,
      /** Yields the events of a run, each once and in order, across interruptions of the connection. */
      async *follow(
        id: string,
        { after = 0, signal }: { after?: number; signal?: AbortSignal } = {},
      ): AsyncGenerator<ChainEvent> {
        for (let seq = after; !signal?.aborted; ) {
          const query = { chain_run_id: id, after: seq, wait: WAIT_MS };
          const stops = signal ? AbortSignal.any([closed, signal]) : closed;
          const page = await retryWhileUnreachable(() => events(query), stops);
          seq = page.seq;
          yield* page.events;
        }
      },
    },
  };
}
