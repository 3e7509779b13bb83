import { BatonError, type ChainEvent } from '@baton/protocol';
import { COMPLETION_MARKER } from '@baton/runtime/contracts';
import { openStore, type Store } from '@baton/store';
import { onTestFinished } from 'vitest';
import type { AgentStep, Chain, Step } from '../chain.ts';
import { ChainEngine, type ChainEngineOptions } from '../engine/chain-engine.ts';
import {
  Detached,
  type FoundTask,
  type StepHost,
  type StepTask,
  type TaskEnd,
} from '../engine/step-host.ts';

type Played = Partial<TaskEnd> | 'hang';

/** A host that plays scripted task ends and records the tasks it was asked to run. */
export class ScriptedHost implements StepHost {
  readonly tasks: StepTask[] = [];
  readonly stopped: string[] = [];
  readonly unavailable = new Set<string>();
  /** Results of `find`, by step. */
  readonly found = new Map<string, FoundTask>();
  #play: (task: StepTask) => Played | Promise<Played>;

  constructor(play: (task: StepTask) => Played | Promise<Played> = () => ({})) {
    this.#play = play;
  }

  get steps(): string[] {
    return this.tasks.map(({ step }) => step);
  }

  async check(step: AgentStep, backend: string): Promise<void> {
    if (!this.unavailable.has(backend)) return;
    throw new BatonError('backend_not_found', `${backend} is not installed (${step.agent}).`);
  }

  hasBudget(): boolean {
    return true;
  }

  async run(task: StepTask, { signal }: { signal: AbortSignal }): Promise<TaskEnd> {
    this.tasks.push(task);
    const played = await this.#play(task);
    if (played !== 'hang') {
      const end = { outcome: 'done' as const, output: `${task.step} output`, ...played };
      return { marker: end.output.includes(COMPLETION_MARKER), ...end };
    }
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve, { once: true });
      if (signal.aborted) resolve(undefined);
    });
    if (signal.reason instanceof Detached) throw signal.reason;
    this.stopped.push(task.step);
    return { outcome: 'cancelled', output: '', marker: false };
  }

  async find(_sessionId: string, taskId: string): Promise<FoundTask> {
    const step = this.tasks.find((task) => task.taskId === taskId)?.step;
    return this.found.get(step ?? '') ?? { state: 'running' };
  }

  async stop(_sessionId: string, taskId: string): Promise<TaskEnd> {
    this.stopped.push(taskId);
    return { outcome: 'cancelled', output: '', marker: false };
  }
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
  host: StepHost,
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
