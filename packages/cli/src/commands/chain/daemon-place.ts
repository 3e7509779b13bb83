import { randomUUID } from 'node:crypto';
import type { BatonClient } from '@baton/client';
import type { LoadedChains } from '@baton/orchestra';
import {
  applyChainEvent,
  type ChainEvent,
  type ChainState,
  emptyChainState,
  isTaskEvent,
  type LogEvent,
} from '@baton/protocol/values';
import type { ChainRunRecord } from '@baton/protocol/wire';
import { readLog } from '../../remote/read-log.ts';
import type { ChainDecision, ChainHooks, ChainPlace, WatchedChain } from './chain-place.ts';

/** Runs chains through a daemon on the machine that has the files. */
export class DaemonPlace implements ChainPlace {
  readonly runsOnlyTrusted = true;
  #client: BatonClient;

  constructor(client: BatonClient) {
    this.#client = client;
  }

  async isTrusted({ path: file, hash }: LoadedChains): Promise<boolean> {
    const [known] = await this.#client.chains.find({ file });
    return known?.hash === hash && known.trusted;
  }

  async trust({ path: file, hash }: LoadedChains): Promise<void> {
    await this.#client.chains.trust({ file, hash });
  }

  /** The daemon checks when the chain starts. */
  async check(): Promise<undefined> {
    return undefined;
  }

  async start(
    { loaded, chain, inputs, cwd }: Parameters<ChainPlace['start']>[0],
    hooks: ChainHooks,
  ): Promise<WatchedChain> {
    const request = { file: loaded.path, chain: chain.name, inputs, cwd };
    const record = await this.#client.chainRuns.create({
      ...request,
      chain_run_id: randomUUID(),
    });
    return { record, done: this.#follow(record.chain_run_id, hooks) };
  }

  async resume(runId: string, restart: boolean, hooks: ChainHooks): Promise<WatchedChain> {
    const record = await this.#resumed(runId, restart);
    return { record, done: this.#follow(runId, hooks) };
  }

  /** A run that the daemon runs is only watched. */
  async #resumed(runId: string, restart: boolean): Promise<ChainRunRecord> {
    const record = await this.#client.chainRuns.get(runId);
    const isRunning = record.status === 'running' || record.status === 'awaiting_approval';
    return isRunning ? record : this.#client.chainRuns.resume(runId, { restart });
  }

  async stop(runId: string, reason?: string): Promise<void> {
    await this.#client.chainRuns.stop(runId, reason);
  }

  async answer(runId: string, step: string, { decision, comment }: ChainDecision): Promise<void> {
    const given = { step, decision, ...(comment === undefined ? {} : { comment }) };
    await this.#client.chainRuns.answer(runId, given);
  }

  async runs(limit: number): Promise<ChainRunRecord[]> {
    return (await this.#client.chainRuns.find({ limit })).data;
  }

  async events(runId: string): Promise<ChainEvent[]> {
    return (await this.#client.chainRuns.events({ chain_run_id: runId, limit: 5000 })).events;
  }

  async *log(sessionId: string): AsyncGenerator<LogEvent> {
    yield* readLog(this.#client, await this.#client.sessions.get(sessionId));
  }

  /** Follows a run to its end, and the sessions of the steps that run. */
  async #follow(runId: string, { onEvent, onTaskEvent }: ChainHooks): Promise<ChainState> {
    const state = emptyChainState();
    const sessions = new Map<string, AbortController>();
    const over = new AbortController();
    try {
      for await (const event of this.#client.chainRuns.follow(runId, { signal: over.signal })) {
        applyChainEvent(state, event);
        onEvent(event);
        if (event.type === 'step.started' && event.sessionId && event.taskId) {
          const control = new AbortController();
          sessions.set(event.step, control);
          void this.#followTask(event.sessionId, event.taskId, control.signal, (each) =>
            onTaskEvent(event.step, each),
          );
        }
        if (event.type === 'step.completed') sessions.get(event.step)?.abort();
        if (event.type === 'chain.completed') return state;
      }
      return state;
    } finally {
      over.abort();
      for (const control of sessions.values()) control.abort();
    }
  }

  async #followTask(
    sessionId: string,
    taskId: string,
    signal: AbortSignal,
    onEvent: (event: Parameters<ChainHooks['onTaskEvent']>[1]) => void,
  ): Promise<void> {
    try {
      for await (const event of this.#client.follow(sessionId, { signal })) {
        if (isTaskEvent(event) && event.taskId === taskId) onEvent(event);
      }
    } catch {
      // What an agent does right now is only shown; the events of the chain decide.
    }
  }
}
