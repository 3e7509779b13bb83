import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Baton } from '@baton/agents/registry/baton';
import { homeFolder } from '@baton/config/paths/home-folder';
import { denyUnattended } from '@baton/engine/run/deny-request';
import { EmbeddedHost } from '@baton/host';
import {
  type Chain,
  ChainEngine,
  type ChainEngineOptions,
  chainRunRecord,
  type LoadedChains,
  type StartedChain,
} from '@baton/orchestra';
import { isAlive, startTicksOf } from '@baton/process';
import { BatonError, type ChainEvent, type LogEvent } from '@baton/protocol/values';
import type { ChainRunRecord } from '@baton/protocol/wire';
import { openStore, type Store } from '@baton/store';
import type { ChainDecision, ChainHooks, ChainPlace, WatchedChain } from './chain-place.ts';

const PAGE = 500;

type LocalOptions = Pick<ChainEngineOptions, 'ask' | 'onLaunch'> & { baton: Baton };

/** Runs chains in this process. Their state is in a database of the user, which no daemon uses. */
export class LocalPlace implements ChainPlace {
  readonly runsOnlyTrusted = false;
  #store: Store;
  #engine: ChainEngine;
  #hooks: ChainHooks | undefined;

  private constructor(store: Store, options: LocalOptions) {
    this.#store = store;
    this.#engine = new ChainEngine({
      store,
      host: new EmbeddedHost({ baton: options.baton, store }),
      onLaunch: options.onLaunch,
      ask: options.ask ?? ((_step, pending) => denyUnattended(pending)),
      startTicks: startTicksOf(process.pid),
      isAlive: ({ pid, startTicks = 0 }) => isAlive({ pid, startTicks }),
      // Without a terminal nobody could decide.
      approvals: options.ask ? 'wait' : 'suspend',
      env: process.env,
      defaultWorkspace: async (folder) =>
        (await import('@baton/workspaces')).defaultKind({ folder }),
      onEvent: (_runId, event) => this.#hooks?.onEvent(event),
      onTaskEvent: (_runId, step, event) => this.#hooks?.onTaskEvent(step, event),
    });
  }

  static async open(options: LocalOptions): Promise<LocalPlace> {
    const folder = join(homeFolder(), '.baton');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const store = await openStore({ url: join(folder, 'chains.db') });
    return new LocalPlace(store, options);
  }

  async close(): Promise<void> {
    await this.#engine.close();
    await this.#store.close();
  }

  async isTrusted({ hash }: LoadedChains): Promise<boolean> {
    return (await this.#store.records.trustedChains.get(hash)) !== undefined;
  }

  async trust({ hash, path: file }: LoadedChains): Promise<void> {
    const trusted = { hash, file, trusted_by: null, trusted_at: Date.now() };
    await this.#store.records.trustedChains.put(trusted);
  }

  check(chain: Chain, cwd: string): Promise<ReadonlyMap<string, string>> {
    return this.#engine.choose(chain, cwd);
  }

  async start(
    { loaded, chain, inputs, cwd }: Parameters<ChainPlace['start']>[0],
    hooks: ChainHooks,
  ): Promise<WatchedChain> {
    this.#hooks = hooks;
    const file = { file: loaded.path, fileHash: loaded.hash };
    return this.#watched(await this.#engine.start({ chain, inputs, cwd, ...file }));
  }

  async resume(runId: string, restart: boolean, hooks: ChainHooks): Promise<WatchedChain> {
    this.#hooks = hooks;
    return this.#watched(await this.#engine.resume(runId, { restart }));
  }

  stop(runId: string, reason?: string): Promise<void> {
    return this.#engine.stop(runId, { reason });
  }

  answer(runId: string, step: string, decision: ChainDecision): Promise<void> {
    return this.#engine.answer(runId, step, decision);
  }

  async runs(limit: number): Promise<ChainRunRecord[]> {
    const { chainRuns } = this.#store.records;
    const rows = await chainRuns.find({ orderBy: ['created_at', 'desc'], limit });
    return rows.map((row) => chainRunRecord(row, this.#engine.isOwned(row)));
  }

  events(runId: string): Promise<ChainEvent[]> {
    return this.#store.chainRuns.read(runId);
  }

  async *log(sessionId: string): AsyncGenerator<LogEvent> {
    for (let after = 0; ; ) {
      const { events } = await this.#store.log.read(sessionId, after, PAGE);
      yield* events;
      const last = events.at(-1);
      if (!last) return;
      after = last.cursor;
    }
  }

  async #watched({ runId, done }: StartedChain): Promise<WatchedChain> {
    const row = await this.#store.records.chainRuns.get(runId);
    if (!row) throw new BatonError('not_found', `Chain run "${runId}" not found.`);
    return { record: chainRunRecord(row, true), done };
  }
}
