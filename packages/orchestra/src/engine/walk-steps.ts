import { createHash, randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { COMPLETION_MARKER } from '@baton/contracts/marker';
import {
  type AgentEvent,
  BatonError,
  errorInfo,
  type FoundRun,
  type Host,
  type StepOutcome,
  type StepState,
  type StepWorkspace,
  type WorkspaceRequest,
} from '@baton/protocol';
import type {
  AgentStep,
  ApprovalStep,
  ForEachStep,
  LoopStep,
  ParallelStep,
  Step,
} from '../chain.ts';
import { holds, mentionsOutcome } from '../conditions.ts';
import { type Environment, withVariables } from '../file/variables.ts';
import type { Scope, StepValue } from '../scope.ts';
import { render, renderList } from '../templates.ts';
import { checkFiles } from './check-files.ts';
import type { OwnedRun } from './owned-run.ts';
import {
  Detached,
  endOfTask,
  runStep,
  type StepControls,
  type StepTask,
  type TaskEnd,
} from './run-step.ts';
import { runTogether, together } from './run-together.ts';
import {
  AwaitsApproval,
  isFailure,
  NeedsRestart,
  type StepResult,
  stepValueOf,
} from './step-result.ts';

/** Maximum number of items from a template, unless the step sets its own. */
const MOST_ITEMS = 100;
/** Length of the name of a worktree. */
const MAX_NAME = 100;

/** The steps of a list add their values to the scope that they share. */
type Place = {
  scope: Scope & { steps: Map<string, StepValue> };
  signal: AbortSignal;
  /** The items of the lists around the steps, by their numbers from 1. */
  items: readonly number[];
};

type WalkOptions = {
  host: Host;
  ask?: StepControls['ask'];
  onLaunch?: StepControls['onLaunch'];
  /** The backend of each agent step, by its path without iterations. */
  backends: ReadonlyMap<string, string>;
  /** Runs failed and interrupted steps again. */
  restart: boolean;
  /** Behavior at an approval step without a decision: wait for it, or suspend the run. */
  approvals: 'wait' | 'suspend';
  /** The variables that `${VAR}` in the environment of an agent refers to. */
  env: Environment;
  onTaskEvent?: ((step: string, event: AgentEvent) => void) | undefined;
};

const CONTINUE = 'You were interrupted. Continue where you left off and finish the task.';
const SKIPPED: StepResult = { outcome: 'skipped', output: '', marker: false };

/**
 * Walks through the steps of a chain. Stored events of a step take precedence over running it: a finished step never
 * runs again.
 */
export class StepWalker {
  #run: OwnedRun;
  #options: WalkOptions;

  constructor(run: OwnedRun, options: WalkOptions) {
    this.#run = run;
    this.#options = options;
  }

  /** Runs the steps of the chain. */
  walk(): Promise<StepResult> {
    const { chain, inputs, signal } = this.#run;
    return this.#sequence(chain.steps, '', {
      ...{ scope: { inputs, steps: new Map() }, signal, items: [] },
    });
  }

  /**
   * Runs steps one after another. After a failure only steps whose condition mentions an outcome are considered, such as
   * one that cleans up.
   */
  async #sequence(steps: readonly Step[], prefix: string, place: Place): Promise<StepResult> {
    const { steps: seen } = place.scope;
    let { previous } = place.scope;
    let last: StepResult = { outcome: 'done', output: previous?.output ?? '', marker: false };
    let failure: StepResult | undefined;
    let marker = false;
    for (const step of steps) {
      if (place.signal.aborted) return { ...cancelled(place.signal), marker };
      const scope = { ...place.scope, steps: seen, previous };
      const result = await this.#step(step, prefix + step.id, { ...place, scope }, failure);
      const value = stepValueOf(result);
      seen.set(step.id, value);
      marker ||= result.marker;
      if (result.outcome === 'skipped') continue;
      previous = value;
      last = result;
      if (result.outcome !== 'done' && step.onFailure === 'stop') failure ??= result;
    }
    return { ...(failure ?? { ...last, outcome: 'done', error: undefined }), marker };
  }

  async #step(
    step: Step,
    path: string,
    place: Place,
    failure: StepResult | undefined,
  ): Promise<StepResult> {
    const known = this.#finished(step, path);
    if (known) return known;
    const begun = this.#run.state.steps.get(path);
    const isBegun = begun !== undefined && !isEnded(begun);
    const isDue = !failure || (step.if !== undefined && mentionsOutcome(step.if));
    if (!isBegun && !(isDue && (!step.if || holds(step.if, place.scope)))) {
      await this.#run.append({ type: 'step.completed', step: path, outcome: 'skipped' });
      return SKIPPED;
    }
    return this.#guarded(path, () => this.#perform(step, path, place));
  }

  #perform(step: Step, path: string, place: Place): Promise<StepResult> {
    switch (step.kind) {
      case 'agent':
        return (step.iterations ?? 1) > 1
          ? this.#iterations(step, path, place)
          : this.#prompt(step, path, path, place);
      case 'parallel':
        return this.#container(path, () => this.#parallel(step, path, place));
      case 'loop':
        return this.#container(path, () => this.#loop(step, path, place));
      case 'forEach':
        return this.#container(path, () => this.#forEach(step, path, place));
      case 'approval':
        return this.#approval(step, path, place);
    }
  }

  /** A mistake in a template or an option fails its step; only the failure of the store ends the engine. */
  async #guarded(path: string, act: () => Promise<StepResult>): Promise<StepResult> {
    try {
      return await act();
    } catch (error) {
      if (!BatonError.is(error) || ENGINE_ERRORS.has(error.code)) throw error;
      return this.#complete(path, { outcome: 'failed', output: '', error: error.toJSON() });
    }
  }

  /** The result of a step that has ended, unless it is to run again. */
  #finished(step: Step, path: string): StepResult | undefined {
    const known = this.#run.state.steps.get(path);
    if (known === undefined || !isEnded(known)) return undefined;
    const isFailure = known.status !== 'done' && known.status !== 'skipped';
    // A step is skipped because of another one, whose outcome may change.
    const isOpen = known.status === 'skipped' || (isFailure && step.onFailure === 'stop');
    return this.#options.restart && isOpen ? undefined : resultOf(known);
  }

  /** Stores the beginning and the end of a step that contains others. */
  async #container(
    path: string,
    act: () => Promise<Omit<StepResult, 'marker'> & { marker?: boolean }>,
  ): Promise<StepResult> {
    const known = this.#run.state.steps.get(path);
    if (known === undefined || isEnded(known)) {
      await this.#run.append({ type: 'step.started', step: path });
    }
    return this.#complete(path, await act());
  }

  async #complete(
    path: string,
    result: Omit<StepResult, 'marker'> & { marker?: boolean; usage?: TaskEnd['usage'] },
  ): Promise<StepResult> {
    const { outcome, output, structured, error, marker = false, usage } = result;
    await this.#run.append({
      type: 'step.completed',
      step: path,
      outcome,
      ...(output === '' ? {} : { output }),
      ...(structured === undefined ? {} : { structured }),
      ...(usage === undefined ? {} : { usage }),
      ...(error === undefined ? {} : { error }),
      ...(marker ? { marker } : {}),
    });
    return { outcome, output, structured, error, marker };
  }

  /** Runs an agent again and again until it prints the marker. */
  #iterations(step: AgentStep, path: string, { scope, signal, items }: Place): Promise<StepResult> {
    return this.#container(path, async () => {
      const iterations = (step.iterations ?? 1) * this.#attempts(path);
      let { previous } = scope;
      for (let iteration = 1; iteration <= iterations; iteration += 1) {
        if (signal.aborted) return cancelled(signal);
        const place = { scope: { ...scope, previous, iteration }, signal, items };
        const key = `${path}#${iteration}`;
        const result =
          this.#finished(step, key) ??
          (await this.#guarded(key, () => this.#prompt(step, key, path, place)));
        if (result.outcome !== 'done' || result.marker) return result;
        previous = stepValueOf(result);
      }
      return exhausted(iterations, previous, COMPLETION_MARKER);
    });
  }

  /** Number of attempts; each restart of a loop adds its whole limit again. */
  #attempts(path: string): number {
    return Math.max(1, this.#run.state.steps.get(path)?.attempts ?? 1);
  }

  async #loop(step: LoopStep, path: string, { scope, signal, items }: Place): Promise<StepResult> {
    // Steps of the iteration before stay visible.
    const steps = new Map(scope.steps);
    let { previous } = scope;
    const limit = step.maxIterations * this.#attempts(path);
    for (let iteration = 1; iteration <= limit; iteration += 1) {
      if (signal.aborted) return cancelled(signal);
      const inner = { ...scope, steps, previous, iteration };
      const place = { scope: inner, signal, items };
      const result = await this.#sequence(step.steps, `${path}#${iteration}/`, place);
      if (result.outcome !== 'done') return result;
      previous = stepValueOf(result);
      const isDone = step.until ? holds(step.until, { ...inner, previous }) : result.marker;
      if (isDone) return result;
    }
    return exhausted(limit, previous, step.until ? 'the condition' : COMPLETION_MARKER);
  }

  async #parallel(step: ParallelStep, path: string, place: Place): Promise<StepResult> {
    const jobs = step.steps.map((each) => async (signal: AbortSignal) => {
      const scope = { ...place.scope, steps: new Map(place.scope.steps) };
      const key = `${path}/${each.id}`;
      const result = await this.#step(each, key, { ...place, scope, signal }, undefined);
      return { id: each.id, result, isFailure: isFailure(result) && each.onFailure === 'stop' };
    });
    const all = await runTogether(jobs, { ...step, signal: place.signal });
    const { ends } = all;
    return together(all, {
      output: ends.map(({ id, result }) => `## ${id}\n\n${result.output}`).join('\n\n'),
      structured: Object.fromEntries(ends.map(({ id, result }) => [id, stepValueOf(result)])),
    });
  }

  async #forEach(step: ForEachStep, path: string, place: Place): Promise<StepResult> {
    const { items } = step;
    const list = typeof items === 'string' ? renderList(items, place.scope) : items;
    checkLength(list.length, step);
    const jobs = list.map((item, index) => async (signal: AbortSignal) => {
      const scope = { ...place.scope, steps: new Map(place.scope.steps), item, index };
      const inItem = { scope, signal, items: [...place.items, index + 1] };
      const result = await this.#sequence(step.steps, `${path}#${index + 1}/`, inItem);
      return { id: String(index + 1), result, isFailure: isFailure(result) };
    });
    const all = await runTogether(jobs, { ...step, signal: place.signal });
    const { ends } = all;
    return together(all, {
      output: ends.map(({ result }) => result.output).join('\n\n'),
      structured: ends.map(({ result }) => stepValueOf(result)),
    });
  }

  async #approval(step: ApprovalStep, path: string, { scope, signal }: Place): Promise<StepResult> {
    const { state } = this.#run;
    const known = state.steps.get(path);
    if (known === undefined || isEnded(known)) {
      const message = render(step.message, scope);
      await this.#run.append(
        { type: 'step.started', step: path },
        { type: 'approval.requested', step: path, message },
      );
    }
    const decision = () => state.steps.get(path)?.decision;
    if (!decision() && this.#options.approvals === 'suspend') throw new AwaitsApproval();
    await this.#run.until(() => decision() !== undefined, signal);
    const given = decision();
    if (!given) return this.#complete(path, cancelled(signal));
    const output = given.comment ?? '';
    if (given.decision === 'approve') return this.#complete(path, { outcome: 'done', output });
    const reason = output === '' ? '' : ` ${output}`;
    const error = errorInfo('permission_denied', `The step was rejected.${reason}`, {
      hint: 'Ask for it again with "baton chain resume ID --restart", or start a new run.',
    });
    return this.#complete(path, { outcome: 'failed', output, error });
  }

  /** Runs one prompt of an agent as a task, or continues with the task that was there when the chain was interrupted. */
  async #prompt(step: AgentStep, path: string, origin: string, place: Place): Promise<StepResult> {
    const { signal } = place;
    const { host, ask, onLaunch, onTaskEvent } = this.#options;
    const placed = this.#placed(path);
    const known = this.#run.state.steps.get(path);
    const found = await this.#find(known);
    if (found?.state === 'ended' && known?.sessionId && known.taskId) {
      const { sessionId, taskId } = known;
      const end = await endOfTask(host, { sessionId, taskId }, placed.onPlaced);
      await placed.stored();
      return this.#complete(path, end);
    }
    const task = await this.#task(step, path, origin, place, known, found);
    if (found?.state === 'interrupted' && known?.status === 'running') {
      const { usage } = found;
      await this.#run.append({ type: 'step.interrupted', step: path, ...(usage && { usage }) });
    }
    const isNew = task.taskId !== known?.taskId;
    if (isNew && found?.state === 'interrupted' && !task.continues && !this.#options.restart) {
      throw new NeedsRestart(path);
    }
    if (isNew) {
      const { sessionId, taskId, backend, cwd, continues } = task;
      await this.#run.append({
        ...{ type: 'step.started', step: path, backend, sessionId, taskId, cwd },
        ...(continues ? { continues } : {}),
      });
    }
    const onEvent = (event: AgentEvent) => onTaskEvent?.(path, event);
    const { onPlaced } = placed;
    const end = await runStep(host, task, { signal, onEvent, onPlaced, ask, onLaunch });
    await placed.stored();
    if (end.denied) await this.#noteDenials(path, end.denied);
    return this.#complete(path, end);
  }

  /** Stores where the agent of a step works. */
  #placed(step: string) {
    let storing: Promise<void> = Promise.resolve();
    return {
      onPlaced: (workspace: StepWorkspace) => {
        const known = this.#run.state.steps.get(step)?.workspace;
        if (isDeepStrictEqual(known, workspace)) return;
        storing = storing.then(() => this.#run.append({ type: 'step.placed', step, workspace }));
        // The end of the step reports a failure, unless the step has one of its own.
        storing.catch(() => {});
      },
      stored: () => storing,
    };
  }

  /**
   * Records a notice about denied requests: an agent whose requests are denied often ends successfully all the same.
   */
  async #noteDenials(step: string, count: number): Promise<void> {
    const requests = count === 1 ? '1 request was' : `${count} requests were`;
    const message = `${requests} denied because no one was there to ask.`;
    await this.#run.append({ type: 'chain.notice', step, code: 'denied', message });
  }

  #find(known: StepState | undefined) {
    if (!known?.sessionId || !known.taskId || isEnded(known)) return undefined;
    const { sessionId, taskId } = known;
    return this.#options.host.find({ sessionId, taskId });
  }

  /** Returns the task of a step: an existing task to join, one that continues it, or a new one. */
  async #task(
    written: AgentStep,
    path: string,
    origin: string,
    place: Place,
    known: StepState | undefined,
    found: FoundRun | undefined,
  ): Promise<StepTask> {
    const { chain, cwd } = this.#run;
    const { scope } = place;
    const step = withVariables(written, this.#options.env);
    const isInterrupted = found?.state === 'interrupted';
    const continues = isInterrupted && found.canContinue && !this.#options.restart;
    const isJoined = found !== undefined && !isInterrupted;
    if (!isJoined) checkFiles(written);
    const backend =
      (isJoined || continues ? known?.backend : undefined) ??
      this.#options.backends.get(withoutIterations(origin)) ??
      step.backend;
    return {
      step: path,
      chain: chain.name,
      by: this.#run.by,
      sessionId: (isJoined || continues ? known?.sessionId : undefined) ?? randomUUID(),
      taskId: (isJoined ? known?.taskId : undefined) ?? randomUUID(),
      backend,
      prompt: continues ? CONTINUE : render(step.prompt, scope),
      cwd: resolve(cwd, step.cwd === undefined ? '.' : render(step.cwd, scope)),
      workspace: this.#workspaceOf(step, origin, place),
      permissionMode: step.permissionMode,
      env: step.env,
      options: await this.#withinBudget(step, backend),
      command: step.command,
      continues,
    };
  }

  /**
   * Returns the place of a step. The id of a worktree is derived from the run, so that the same steps find the same one
   * again: those that share a name, all steps of a chain that has a worktree, or a step in all its iterations.
   */
  #workspaceOf(step: AgentStep, origin: string, { scope, items }: Place): WorkspaceRequest {
    const { chain, runId } = this.#run;
    const wanted = step.workspace ?? chain.workspace;
    if (wanted?.kind !== 'worktree') return { kind: 'in_place' };
    const given = wanted.name === undefined ? undefined : render(wanted.name, scope).trim();
    if (given === '') {
      throw new BatonError('usage', `The name of the worktree is empty: ${wanted.name}`, {
        hint: 'Use a value that is never empty, such as {{index}}.',
      });
    }
    const isOwn = step.workspace !== undefined;
    const own = isOwn ? ['step', withoutIterations(origin), ...items] : ['chain'];
    const key = given === undefined ? own : ['name', given];
    const name = given ?? [chain.name, ...(isOwn ? [step.id, ...items] : [])].join('-');
    return { ...wanted, name: name.slice(0, MAX_NAME), workspace_id: workspaceId([runId, ...key]) };
  }

  /** Limits an agent to the remaining budget of the chain; throws if nothing is left. */
  async #withinBudget({ options }: AgentStep, backend: string): Promise<AgentStep['options']> {
    const { budgetUsd } = this.#run.chain;
    if (budgetUsd === undefined) return options;
    const left = budgetUsd - (this.#run.state.usage?.costUsd ?? 0);
    if (left <= 0) {
      throw new BatonError('budget_exceeded', `The chain has spent its budget of $${budgetUsd}.`, {
        hint: 'Increase budgetUsd of the chain.',
      });
    }
    const { capabilities } = await this.#options.host.describe(backend);
    // Without support, the chain ends once its budget is spent.
    if (capabilities.options.budgetUsd.support === 'unsupported') return options;
    return { ...options, budgetUsd: Math.min(left, options.budgetUsd ?? left) };
  }
}

/** Errors that are not about the step but about the engine that runs it. */
const ENGINE_ERRORS: ReadonlySet<string> = new Set([
  'lease_lost',
  'store_unavailable',
  'store_damaged',
  'internal',
]);

function workspaceId(key: readonly (string | number)[]): string {
  const hash = createHash('sha256').update(JSON.stringify(key)).digest('hex');
  return `ws_${hash.slice(0, 16)}`;
}

/** Returns the result of a stopped step. If the process only releases the run, it throws: nothing has been decided. */
function cancelled({ reason }: AbortSignal): StepResult {
  if (reason instanceof Detached) throw reason;
  return { outcome: 'cancelled', output: '', marker: false };
}

function exhausted(limit: number, last: StepValue | undefined, missing: string): StepResult {
  const message = `The limit of ${limit} iterations was reached without ${missing}.`;
  return {
    outcome: 'failed',
    output: last?.output ?? '',
    structured: last?.structured,
    error: errorInfo('iterations_exhausted', message),
    marker: false,
  };
}

function isEnded({ status }: StepState): boolean {
  return status !== 'running' && status !== 'interrupted' && status !== 'awaiting_approval';
}

function resultOf({
  status,
  output = '',
  structured,
  error,
  marker = false,
}: StepState): StepResult {
  return { outcome: status as StepOutcome, output, structured, error, marker };
}

/** Steps inside a loop have the same backend in every iteration. */
function withoutIterations(path: string): string {
  return path.replaceAll(/#\d+/g, '');
}

/** An agent whose answer becomes the list must not start any number of runs. */
function checkLength(length: number, { items, maxItems }: ForEachStep): void {
  const most = maxItems ?? (typeof items === 'string' ? MOST_ITEMS : length);
  if (length <= most) return;
  throw new BatonError('usage', `The list has ${length} items, and the step allows ${most}.`, {
    hint: 'Nothing of it was run. Set "maxItems" of the step to allow more.',
  });
}
