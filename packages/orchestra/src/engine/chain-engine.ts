import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import {
  type AgentEvent,
  BatonError,
  type ChainEvent,
  type ChainState,
  type ErrorInfo,
  errorInfo,
  type Host,
  longTimer,
  type Outcome,
} from '@baton/protocol';
import type { ChainOwner, ChainRunRow, Store } from '@baton/store';
import { agentSteps } from '../agent-steps.ts';
import type { AgentStep, Chain, ChainWorkspace } from '../chain.ts';
import { alreadyRunning, isGone, OwnedRun } from './owned-run.ts';
import { type AskUser, checkStep, Detached, endFrom, type StepControls } from './run-step.ts';
import { AwaitsApproval, NeedsRestart, type StepResult } from './step-result.ts';
import { StepWalker } from './walk-steps.ts';

export type ChainEngineOptions = {
  store: Store;
  host: Host;
  /** Answers the requests of agents; without it, the users of the host answer. */
  ask?: AskUser | undefined;
  /** Called with the command lines of agents that run in this process. */
  onLaunch?: StepControls['onLaunch'];
  /** True if the process of another owner on this machine is running. */
  isAlive(owner: ChainOwner): boolean;
  /** The start time of this process, if the system reports it. */
  startTicks?: number | undefined;
  approvals: 'wait' | 'suspend';
  env: Readonly<Record<string, string | undefined>>;
  /** Returns the place that the settings of a folder choose for chains that name none; the folder itself by default. */
  defaultWorkspace?: ((cwd: string) => Promise<ChainWorkspace['kind']>) | undefined;
  /** Called with every event of every run of this engine, in order per run. */
  onEvent?: ((runId: string, event: ChainEvent) => void) | undefined;
  /** Called with the events of the agents. */
  onTaskEvent?: ((runId: string, step: string, event: AgentEvent) => void) | undefined;
  /** Called when the engine abandons a run because of an error that is not about a step. */
  onFailure?: ((runId: string, error: unknown) => void) | undefined;
};

export type StartChain = {
  chain: Chain;
  inputs: Readonly<Record<string, string>>;
  cwd: string;
  file: string;
  fileHash: string;
  by?: string | undefined;
  /** A new id by default. The same id starts the chain once. */
  runId?: string | undefined;
};

/** A running chain. `done` resolves with its state once this process no longer runs it. */
export type StartedChain = { runId: string; done: Promise<ChainState> };

/** Runs chains. The CLI has one for its own runs; a daemon has one for all of its runs. */
export class ChainEngine {
  #options: ChainEngineOptions;
  #owner: ChainOwner;
  #active = new Map<string, { run: OwnedRun; done: Promise<ChainState> }>();
  /** Runs that are about to be active. */
  #taking = new Set<string>();

  constructor(options: ChainEngineOptions) {
    this.#options = options;
    const { startTicks } = options;
    this.#owner = { ownerId: randomUUID(), host: hostname(), pid: process.pid, startTicks };
  }

  /** Checks every backend, option and input, stores the run, and starts it. */
  async start(request: StartChain): Promise<StartedChain> {
    const { cwd, file, fileHash, by, runId = randomUUID() } = request;
    const chain = await this.#withWorkspace(request.chain, cwd);
    const inputs = inputsFor(chain, request.inputs);
    const backends = await this.choose(chain, cwd);
    await this.#options.store.chainRuns.create(
      {
        run_id: runId,
        chain: chain.name,
        file,
        file_hash: fileHash,
        cwd,
        inputs: JSON.stringify(inputs),
        definition: JSON.stringify(chain),
        created_by: by ?? null,
      },
      { type: 'chain.started', by, chain: chain.name, inputs },
    );
    return this.#take(runId, async (run) => this.#go(run, backends, false));
  }

  /** Continues a run that no process runs. With `restart`, failed and interrupted steps run again. */
  async resume(
    runId: string,
    { restart = false, by }: { restart?: boolean; by?: string | undefined } = {},
  ): Promise<StartedChain> {
    return this.#take(runId, async (run) => {
      const { status } = run.state;
      if (status === 'done') {
        throw new BatonError('conflict', `Chain run "${runId}" is done.`, {
          hint: 'Start a new run with "baton chain run".',
        });
      }
      const hasEnded = run.state.outcome !== undefined;
      if (hasEnded && !restart) {
        throw new BatonError('conflict', `Chain run "${runId}" has ended: ${status}.`, {
          hint: 'Use --restart to run the failed and interrupted steps again.',
        });
      }
      const backends = await this.choose(run.chain, run.cwd);
      await run.append({ type: 'chain.resumed', by });
      return this.#go(run, backends, restart);
    });
  }

  /** Stores that a run is to stop; the process that runs it obeys. A run without a process ends here. */
  async stop(
    runId: string,
    { by, reason }: { by?: string | undefined; reason?: string | undefined } = {},
  ): Promise<void> {
    const { store } = this.#options;
    await store.chainRuns.append(runId, ({ status }) => {
      const isOver = status !== 'running' && status !== 'awaiting_approval';
      return isOver ? [] : [{ type: 'chain.stop_requested', by, reason }];
    });
    const row = await store.records.chainRuns.get(runId);
    if (!row || this.isOwned(row)) return;
    await this.#take(runId, async (run) => {
      if (run.state.outcome === undefined) await this.#stopTasks(run);
      await run.close();
    });
  }

  /** Stores the decision about an approval step. */
  async answer(
    runId: string,
    step: string,
    answer: {
      decision: 'approve' | 'reject';
      comment?: string | undefined;
      by?: string | undefined;
    },
  ): Promise<void> {
    const { store } = this.#options;
    const pending = await pendingApprovals(store, runId);
    if (!pending.includes(step)) {
      throw new BatonError('conflict', `Step "${step}" is not waiting for approval.`, {
        hint:
          pending.length > 0
            ? `Waiting for approval: ${pending.join(', ')}.`
            : 'No step of this run is waiting for approval.',
      });
    }
    await store.chainRuns.append(runId, [{ type: 'approval.answered', step, ...answer }]);
  }

  /** True if a process owns the run. */
  isOwned({ run_id, owner, heartbeat_at }: ChainRunRow): boolean {
    if (this.#active.has(run_id) || this.#taking.has(run_id)) return true;
    if (owner === null) return false;
    const { store, isAlive } = this.#options;
    const own = { store, isAlive, owner: this.#owner };
    return !isGone(JSON.parse(owner) as ChainOwner, heartbeat_at ?? 0, own);
  }

  /** Gives all runs up without stopping their tasks, for another process to continue. */
  async close(): Promise<void> {
    for (const { run } of this.#active.values()) run.abort(new Detached());
    await Promise.allSettled([...this.#active.values()].map(({ done }) => done));
  }

  /** The backend of each agent step: its own, or the first fallback that can run it here. */
  async choose(chain: Chain, cwd: string): Promise<Map<string, string>> {
    const chosen = new Map<string, string>();
    for (const { path, step } of agentSteps(chain.steps)) {
      chosen.set(path, await this.#chooseFor(step, cwd));
    }
    return chosen;
  }

  /** A chain with its place, which a later change of the settings does not affect. */
  async #withWorkspace(chain: Chain, cwd: string): Promise<Chain> {
    const { defaultWorkspace } = this.#options;
    if (chain.workspace || !defaultWorkspace) return chain;
    return { ...chain, workspace: { kind: await defaultWorkspace(cwd) } };
  }

  async #chooseFor(step: AgentStep, cwd: string): Promise<string> {
    let first: unknown;
    for (const backend of [step.backend, ...step.fallback]) {
      try {
        await checkStep(this.#options.host, step, backend, cwd);
        return backend;
      } catch (error) {
        first ??= error;
      }
    }
    if (!BatonError.is(first)) throw first;
    throw new BatonError(first.code, `Step "${step.id}": ${first.message}`, { hint: first.hint });
  }

  /** Becomes the owner of a run for some action, which starts or closes it. Nobody else here can do that meanwhile. */
  async #take<Result>(runId: string, act: (run: OwnedRun) => Promise<Result>): Promise<Result> {
    const { store, isAlive, onEvent } = this.#options;
    if (this.#active.has(runId) || this.#taking.has(runId)) {
      throw alreadyRunning(runId, this.#owner);
    }
    this.#taking.add(runId);
    try {
      const run = await OwnedRun.take(runId, {
        ...{ store, owner: this.#owner, isAlive },
        onEvent: onEvent && ((event) => onEvent(runId, event)),
      });
      return await act(run).catch(async (error) => {
        await run.close();
        throw error;
      });
    } finally {
      this.#taking.delete(runId);
    }
  }

  #go(run: OwnedRun, backends: ReadonlyMap<string, string>, restart: boolean): StartedChain {
    const { runId } = run;
    const done = this.#walk(run, backends, restart).finally(() => this.#active.delete(runId));
    this.#active.set(runId, { run, done });
    // A caller that does not wait must not crash the program.
    done.catch((error) => this.#options.onFailure?.(runId, error));
    return { runId, done };
  }

  async #walk(
    run: OwnedRun,
    backends: ReadonlyMap<string, string>,
    restart: boolean,
  ): Promise<ChainState> {
    const { host, ask, onLaunch, approvals, env, onTaskEvent } = this.#options;
    const clock = startClock(run, restart);
    try {
      await this.#noteFallbacks(run, backends);
      const walker = new StepWalker(run, {
        ...{ host, ask, onLaunch, backends, restart, approvals, env },
        onTaskEvent: onTaskEvent && ((step, event) => onTaskEvent(run.runId, step, event)),
      });
      const result = await walker.walk();
      if (isDetached(run)) return run.state;
      await run.append({ type: 'chain.completed', ...endOf(run, result, clock.hasRung) });
      return run.state;
    } catch (error) {
      if (error instanceof AwaitsApproval || isDetached(run)) return run.state;
      if (!(error instanceof NeedsRestart)) throw error;
      const words = `${error.message} Its agent may have acted and cannot continue its session.`;
      const hint = 'Run the step again with "baton chain resume ID --restart".';
      const problem = errorInfo('interrupted', words, { hint });
      await run.append({ type: 'chain.completed', outcome: 'failed', error: problem });
      return run.state;
    } finally {
      clock.stop();
      await run.close();
    }
  }

  async #noteFallbacks(run: OwnedRun, backends: ReadonlyMap<string, string>): Promise<void> {
    for (const { path, step } of agentSteps(run.chain.steps)) {
      const backend = backends.get(path);
      if (backend === undefined || backend === step.backend) continue;
      const message = `${step.backend} is not available; using ${backend}.`;
      if (run.state.notices.some((each) => each.step === path && each.message === message))
        continue;
      await run.append({ type: 'chain.notice', step: path, code: 'fallback', message });
    }
  }

  /** Ends a stopped run whose process is gone, with the tasks that it left. */
  async #stopTasks(run: OwnedRun): Promise<void> {
    for (const { step, status, sessionId, taskId } of [...run.state.steps.values()]) {
      if (status !== 'running' && status !== 'awaiting_approval') continue;
      const hasTask = sessionId !== undefined && taskId !== undefined;
      const end = hasTask
        ? endFrom(await this.#options.host.stop({ sessionId, taskId }))
        : CANCELLED;
      await run.append({ type: 'step.completed', step, ...end });
    }
    await run.append({ type: 'chain.completed', outcome: 'cancelled' });
  }
}

const CANCELLED = { outcome: 'cancelled' } as const;

function isDetached({ signal }: OwnedRun): boolean {
  return signal.aborted && signal.reason instanceof Detached;
}

/** Stops a run when its time is up. */
function startClock(run: OwnedRun, restart: boolean): { hasRung(): boolean; stop(): void } {
  const { timeoutMs } = run.chain;
  if (timeoutMs === undefined) return { hasRung: () => false, stop: () => {} };
  // A user who restarts a run gives it its whole time again.
  const left = restart ? timeoutMs : Math.max(0, timeoutMs - run.state.activeMs);
  let hasRung = false;
  const timer = longTimer(() => {
    hasRung = true;
    run.abort(new BatonError('timed_out', `The chain took longer than ${timeoutMs} ms.`));
  }, left);
  return { hasRung: () => hasRung, stop: () => clearTimeout(timer) };
}

function endOf(
  run: OwnedRun,
  { outcome, error }: StepResult,
  hasTimedOut: () => boolean,
): { outcome: Outcome; error?: ErrorInfo } {
  if (hasTimedOut()) {
    const message = `The chain took longer than ${run.chain.timeoutMs} ms.`;
    return { outcome: 'timed_out', error: errorInfo('timed_out', message) };
  }
  if (run.signal.aborted) return { outcome: 'cancelled' };
  const end = outcome === 'skipped' ? 'done' : outcome;
  return error && end !== 'done' ? { outcome: end, error } : { outcome: end };
}

/** Checks the values of the inputs and fills in the defaults. */
export function inputsFor(
  { inputs, name }: Chain,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const names = Object.keys(inputs);
  const unknown = Object.keys(given).find((each) => !Object.hasOwn(inputs, each));
  if (unknown !== undefined) {
    throw new BatonError('usage', `Chain "${name}" has no input "${unknown}".`, {
      hint: names.length > 0 ? `It has: ${names.join(', ')}.` : 'It has none.',
    });
  }
  const values = Object.entries(inputs).map(([key, { default: fallback, choices }]) => {
    const value = given[key] ?? fallback;
    if (value === undefined) {
      throw new BatonError('usage', `Input "${key}" is missing.`, {
        hint: `Set it with --input ${key}=VALUE.`,
      });
    }
    if (choices && !choices.includes(value)) {
      throw new BatonError('usage', `Input "${key}" must be one of: ${choices.join(', ')}.`);
    }
    return [key, value] as const;
  });
  return Object.fromEntries(values);
}

async function pendingApprovals(store: Store, runId: string): Promise<string[]> {
  const events = await store.chainRuns.read(runId);
  const pending = new Set<string>();
  for (const event of events) {
    if (event.type === 'approval.requested') pending.add(event.step);
    if (event.type === 'approval.answered' || event.type === 'step.completed') {
      pending.delete(event.step);
    }
    if (event.type === 'chain.completed') pending.clear();
  }
  return [...pending];
}
