import type { Chain, LoadedChains } from '@baton/orchestra';
import type { AgentEvent, ChainEvent, ChainState, LogEvent } from '@baton/protocol';
import type { ChainRunRecord } from '@baton/protocol/wire';

export type ChainHooks = {
  onEvent(event: ChainEvent): void;
  /** Called with the events of a step's agent. */
  onTaskEvent(step: string, event: AgentEvent): void;
};

export type ChainDecision = {
  decision: 'approve' | 'reject';
  comment?: string | undefined;
};

/** A run that is being watched. `done` settles when it has ended, or cannot continue without a decision. */
export type WatchedChain = {
  record: ChainRunRecord;
  done: Promise<ChainState>;
};

/** Runs chains, in this process or through a daemon. */
export interface ChainPlace {
  /**
   * True if files must be trusted even if they widen no rights. Users of a daemon then answer the requests of agents.
   */
  readonly runsOnlyTrusted: boolean;
  isTrusted(loaded: LoadedChains): Promise<boolean>;
  trust(loaded: LoadedChains): Promise<void>;
  /** Returns the backend of each agent step; throws if one cannot run here. Starts nothing. */
  check(chain: Chain, cwd: string): Promise<ReadonlyMap<string, string> | undefined>;
  start(
    request: {
      loaded: LoadedChains;
      chain: Chain;
      inputs: Record<string, string>;
      cwd: string;
    },
    hooks: ChainHooks,
  ): Promise<WatchedChain>;
  resume(runId: string, restart: boolean, hooks: ChainHooks): Promise<WatchedChain>;
  stop(runId: string, reason?: string): Promise<void>;
  answer(runId: string, step: string, decision: ChainDecision): Promise<void>;
  /** The newest runs first. */
  runs(limit: number): Promise<ChainRunRecord[]>;
  events(runId: string): Promise<ChainEvent[]>;
  /** The log of the session of a step. */
  log(sessionId: string): AsyncIterable<LogEvent>;
}
