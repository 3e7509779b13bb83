import {
  type AgentEvent,
  type AgentRun,
  type BackendFacts,
  BatonError,
  type ChainEvent,
  type FoundRun,
  type Host,
  type HostedRun,
  type HostRequest,
  type Probe,
  type RunIds,
  type RunResult,
} from '@baton/protocol';
import { openStore, type Store } from '@baton/store';
import { onTestFinished } from 'vitest';
import type { AgentStep, Chain, Step } from '../chain.ts';
import { ChainEngine, type ChainEngineOptions } from '../engine/chain-engine.ts';
import type { TaskEnd } from '../engine/run-step.ts';

type Played = Partial<TaskEnd> | 'hang';

/** A task that the engine launched. */
export type PlayedTask = HostRequest & { step: string; sessionId: string; continues: boolean };

/** State of a task that the engine finds, and its end if it has one. */
type ScriptedTask = FoundRun & { end?: Partial<TaskEnd> };

/** A host that plays scripted task ends and records the tasks it was asked to run. */
export class ScriptedHost implements Host {
  readonly url = undefined;
  readonly tasks: PlayedTask[] = [];
  readonly stopped: string[] = [];
  readonly unavailable = new Set<string>();
  /** Results of `find`, by step. */
  readonly found = new Map<string, ScriptedTask>();
  #play: (task: PlayedTask) => Played | Promise<Played>;

  constructor(play: (task: PlayedTask) => Played | Promise<Played> = () => ({})) {
    this.#play = play;
  }

  get steps(): string[] {
    return this.tasks.map(({ step }) => step);
  }

  async describe(id: string) {
    const capabilities = { options: { budgetUsd: { support: 'emulated' } } };
    return { id, label: id, capabilities } as unknown as BackendFacts;
  }

  async probe(backend: string): Promise<Probe> {
    const installed = !this.unavailable.has(backend);
    return { backend, installed, credentials: 'not_needed', problems: [], install: '' };
  }

  async check({ backend }: Omit<HostRequest, 'prompt'>): Promise<void> {
    if (!this.unavailable.has(backend)) return;
    throw new BatonError('backend_not_found', `${backend} is not installed.`);
  }

  launch = async (request: HostRequest): Promise<HostedRun<AgentRun<never>>> => {
    const { title = '', session, newSession = '' } = request;
    const step = title.slice(title.indexOf(': ') + 2);
    const task = {
      ...request,
      ...{ step, sessionId: session ?? newSession, continues: session !== undefined },
    };
    this.tasks.push(task);
    const stop = Promise.withResolvers<'cancel' | 'leave'>();
    const played = await this.#play(task);
    const end =
      played === 'hang'
        ? stop.promise.then((how) => {
            if (how === 'cancel') this.stopped.push(step);
            return { outcome: 'cancelled' as const, output: '' };
          })
        : Promise.resolve({ output: `${step} output`, ...played });
    const run = scriptedRun(end, () => stop.resolve('cancel'));
    return { run, sessionId: task.sessionId, leave: () => stop.resolve('leave') };
  };

  async join(ids: RunIds): Promise<HostedRun> {
    const end = Promise.resolve(this.#foundTask(ids)?.end ?? {});
    return { run: scriptedRun(end, () => {}), sessionId: ids.sessionId, leave: () => {} };
  }

  async find(ids: RunIds): Promise<FoundRun> {
    return this.#foundTask(ids) ?? { state: 'running' };
  }

  async stop({ taskId }: RunIds): Promise<RunResult> {
    this.stopped.push(taskId);
    return { outcome: 'cancelled', output: '', durationMs: 0 };
  }

  async trustOf({ cwd = '' }: Pick<HostRequest, 'cwd'>) {
    return { folder: cwd, trusted: true, settings: [] };
  }

  async keepTrust(): Promise<void> {}

  #foundTask({ taskId }: RunIds): ScriptedTask | undefined {
    return this.found.get(this.tasks.find((task) => task.taskId === taskId)?.step ?? '');
  }
}

/** A run that only ends, after requests that nobody was there to answer. */
function scriptedRun(ending: Promise<Partial<TaskEnd>>, cancel: () => void): AgentRun<never> {
  const result = ending.then(({ marker: _marker, denied: _denied, ...end }) => ({
    ...{ outcome: 'done' as const, output: '', durationMs: 0 },
    ...end,
  }));
  return {
    runId: 'scripted',
    result,
    cancel: async () => cancel(),
    async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent> {
      const { denied = 0 } = await ending;
      const denial = { type: 'permission.resolved', by: 'nobody', decision: 'deny' };
      for (let count = 0; count < denied; count++) yield denial as AgentEvent;
      yield { type: 'run.completed', ...(await result) } as AgentEvent;
    },
  } as unknown as AgentRun<never>;
}

/** An agent step with defaults. */
export function agentStep(id: string, more: Partial<AgentStep> = {}): AgentStep {
  return {
    kind: 'agent',
    id,
    agent: id,
    backend: 'demo',
    fallback: [],
    prompt: `Do ${id}.`,
    permissionMode: 'ask',
    options: {},
    onFailure: 'stop',
    ...more,
  };
}

export function chainOf(steps: Step[], more: Partial<Chain> = {}): Chain {
  return { name: 'test', inputs: {}, steps, ...more };
}

export type TestEngine = {
  engine: ChainEngine;
  store: Store;
  events: ChainEvent[];
  /** Runs a chain to its end, or until it is suspended. */
  run(chain: Chain, inputs?: Record<string, string>): ReturnType<typeof runChain>;
};

/** An engine on a store in memory. Another engine on the same store plays the process after a crash. */
export async function testEngine(
  host: Host,
  options: Partial<ChainEngineOptions> = {},
): Promise<TestEngine> {
  const store = options.store ?? (await memoryStore());
  const events: ChainEvent[] = [];
  const engine = new ChainEngine({
    ...{ store, host, approvals: 'suspend', env: {}, isAlive: () => false },
    onEvent: (_runId, event) => events.push(event),
    ...options,
  });
  onTestFinished(() => engine.close());
  return { engine, store, events, run: (chain, inputs) => runChain(engine, chain, inputs) };
}

async function runChain(engine: ChainEngine, chain: Chain, inputs: Record<string, string> = {}) {
  const where = { cwd: process.cwd(), file: 'chains.json', fileHash: 'hash' };
  const { runId, done } = await engine.start({ chain, inputs, ...where });
  return { runId, state: await done };
}

async function memoryStore(): Promise<Store> {
  const store = await openStore({ url: ':memory:' });
  onTestFinished(() => store.close());
  return store;
}
