import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import {
  type AgentEvent,
  type AgentRun,
  BatonError,
  errorInfo,
  isFinal,
  type PendingRequest,
  pendingIn,
  type RequestAnswer,
  type RunOptions,
  type RunResult,
  type TaskStatus,
} from '@baton/protocol';
import { MarkerDetector } from '@baton/runtime/contracts';
import {
  type Backend,
  checkProviderOptions,
  configuredBackend,
  denyUnattended,
  findBackend,
  type LaunchedCommand,
  loadSettings,
  resolveOptions,
  sweepOrphans,
} from '@baton/runtime/internal';
import { type Claim, endingOf, requeueTask, type Store, type TaskRow } from '@baton/store';
import type { AgentStep } from '../chain.ts';
import type { FoundTask, StepHost, StepTask, TaskEnd } from '../engine/step-host.ts';
import { taskEndOf, usageOf } from '../engine/task-end.ts';
import { compiledBackend } from './compiled-backend.ts';
import { RunWriter } from './run-writer.ts';

/** Nobody renews it: the process that owns the chain owns its tasks. */
const LEASE_MS = 365 * 24 * 3600 * 1000;
const SKIP_PERMISSIONS = '--dangerously-skip-permissions';
/** Stands for the prompt of a compiled agent that has its own. */
const OWN_PROMPT = 'The prompt of the agent';
const INTERRUPTED = 'The process that ran the chain ended.';

export type LocalHostOptions = {
  store: Store;
  /** Asks a person; without it, requests are denied. The signal aborts when the answer is no longer needed. */
  ask?:
    | ((step: string, pending: PendingRequest, signal: AbortSignal) => Promise<RequestAnswer>)
    | undefined;
  onLaunch?: ((step: string, command: LaunchedCommand) => void) | undefined;
};

/** Runs the agents of a chain in this process. Their sessions and tasks are kept in the store like any others. */
export class LocalHost implements StepHost {
  #options: LocalHostOptions;
  #executorId = randomUUID();
  /** Probing starts the agent's program, so that steps with the same agent share the result. */
  #probes = new Map<string, Promise<void>>();

  constructor(options: LocalHostOptions) {
    this.#options = options;
  }

  async check(step: AgentStep, name: string, cwd: string): Promise<void> {
    const backend = await loadFor({ ...step, backend: name, cwd });
    // The folder of a step may come from an earlier one.
    const options = runOptions({ ...step, cwd });
    resolveOptions(backend, options);
    checkProviderOptions(backend, options);
    const key = `${backend.id}\n${cwd}`;
    const probe = this.#probes.get(key) ?? checkAvailable(backend, cwd);
    this.#probes.set(key, probe);
    await probe;
  }

  hasBudget(name: string): boolean {
    const support = findBackend(name)?.capabilities.options.budgetUsd.support;
    return support !== undefined && support !== 'unsupported';
  }

  async run(
    task: StepTask,
    { signal, onEvent }: { signal: AbortSignal; onEvent(event: AgentEvent): void },
  ): Promise<TaskEnd> {
    const { store } = this.#options;
    await this.#create(task);
    const claim = await this.#claim(task);
    const writer = new RunWriter(store, claim);
    try {
      const run = await this.#start(task, claim, signal);
      return await this.#follow(run, task.step, writer, { signal, onEvent });
    } catch (error) {
      // The backend refused the request before a run started.
      if (!BatonError.is(error) || error.code === 'lease_lost') throw error;
      await this.#end(claim.task, error);
      return { outcome: 'failed', output: '', error: error.toJSON(), marker: false };
    }
  }

  async find(_sessionId: string, taskId: string): Promise<FoundTask> {
    const { store } = this.#options;
    const task = await store.records.tasks.get(taskId);
    if (!task || task.status === 'QUEUED') return { state: 'not_started' };
    if (isFinal(task.status as TaskStatus)) return endedTask(store, task);
    const lease = await store.leases.get(taskId);
    if (lease && (await requeueTask(store.log, lease, { hadExecutor: false })) === 'requeued') {
      return { state: 'not_started' };
    }
    // The agent may have survived the process that started it, and must not go on beside its continuation.
    await sweepOrphans();
    await this.#end(task, new BatonError('interrupted', INTERRUPTED));
    return interrupted(store, task);
  }

  async stop(sessionId: string, taskId: string): Promise<TaskEnd> {
    const found = await this.find(sessionId, taskId);
    if (found.state === 'ended') return found.end;
    return { outcome: 'cancelled', output: '', marker: false };
  }

  async #create({ sessionId, taskId, ...task }: StepTask): Promise<void> {
    const { store } = this.#options;
    const { cwd, backend, permissionMode, prompt: given, chain, step } = task;
    const prompt = given || OWN_PROMPT;
    if (!(await store.records.sessions.get(sessionId))) {
      const title = `${chain}: ${step}`;
      const session = { cwd, backend, permissionMode, title };
      await store.log.create(sessionId, [{ type: 'session.created', ...session }]);
    }
    if (await store.records.tasks.get(taskId)) return;
    // The MCP servers of a step may contain secrets.
    const { model, mcpConfig: _secret, ...options } = task.options;
    await store.log.append(sessionId, () => ({
      drafts: [{ type: 'prompt.queued', taskId, prompt, backend, model, permissionMode, options }],
      result: undefined,
    }));
  }

  async #claim({ taskId }: StepTask): Promise<Claim> {
    const claim = await this.#options.store.queue.claim({
      ...{ executorId: this.#executorId, daemonId: 'chain', host: hostname() },
      leaseMs: LEASE_MS,
      taskId,
    });
    if (claim) return claim;
    throw new BatonError('lease_lost', `Task "${taskId}" belongs to another process.`);
  }

  async #start(task: StepTask, claim: Claim, signal: AbortSignal): Promise<AgentRun> {
    const { store, ask, onLaunch } = this.#options;
    const backend = await loadFor(task);
    const session = await store.records.sessions.get(task.sessionId);
    const resume = task.continues ? session?.native_session_id : undefined;
    if (!(await store.leases.startAgent(task.taskId, claim.lease.fence))) {
      throw new BatonError('lease_lost', `Task "${task.taskId}" belongs to another process.`);
    }
    const { step } = task;
    return backend.run({
      ...runOptions(task),
      ...(resume ? { resume } : {}),
      ...{ prompt: task.prompt || OWN_PROMPT, signal, runId: task.taskId },
      onRequest: ask ? undefined : denyUnattended,
      onLaunch: onLaunch && ((command) => onLaunch(step, command)),
    });
  }

  async #follow(
    run: AgentRun,
    step: string,
    writer: RunWriter,
    { onEvent }: { onEvent(event: AgentEvent): void; signal: AbortSignal },
  ): Promise<TaskEnd> {
    const over = new AbortController();
    const detector = new MarkerDetector();
    let denied = 0;
    try {
      for await (const event of run) {
        await writer.write(event);
        detector.see(event);
        if (isDeniedForNobody(event)) denied += 1;
        onEvent(event);
        const pending = pendingIn(event);
        if (pending) void this.#answer(run, step, pending, writer, over.signal);
      }
      await writer.flush();
    } finally {
      over.abort();
    }
    return { ...endOf(await run.result), marker: detector.found, denied };
  }

  /** Asks the person and hands the answer on. The store refuses an answer of a person that it has not seen before. */
  async #answer(
    run: AgentRun,
    step: string,
    pending: PendingRequest,
    writer: RunWriter,
    signal: AbortSignal,
  ): Promise<void> {
    const { ask } = this.#options;
    if (!ask) return;
    try {
      const answer = await ask(step, pending, signal);
      if (signal.aborted) return;
      const { requestId } = pending.request;
      await writer.answer(requestId, answer);
      await run.answer(requestId, answer);
    } catch (error) {
      // The run that asked has ended.
      if (!signal.aborted) await run.cancel(error instanceof Error ? error.message : undefined);
    }
  }

  async #end(task: TaskRow, error: BatonError): Promise<void> {
    const { store } = this.#options;
    await store.log.append(task.session_id, ({ tasks, ...state }) => {
      const open = tasks.get(task.task_id);
      const ending = { outcome: 'failed' as const, error: errorInfo(error.code, error.message) };
      const drafts = open ? endingOf({ tasks, ...state }, open, ending, store.now()) : [];
      return { drafts, result: undefined };
    });
  }
}

/** A run that was interrupted ended too, but its agent may continue. */
async function endedTask(store: Store, task: TaskRow): Promise<FoundTask> {
  const end = await taskEndOf(store, task);
  return end.error?.code === 'interrupted' ? interrupted(store, task) : { state: 'ended', end };
}

async function interrupted(store: Store, task: TaskRow): Promise<FoundTask> {
  const session = await store.records.sessions.get(task.session_id);
  const canResume = findBackend(task.backend)?.capabilities.features.resume ?? false;
  const canContinue = canResume && session?.native_session_id != null;
  return { state: 'interrupted', canContinue, usage: usageOf(task) };
}

function loadFor({
  backend,
  command,
  cwd,
  prompt,
}: Pick<StepTask, 'backend' | 'command' | 'cwd' | 'prompt'>): Promise<Backend> {
  if (command) return compiledBackend(command, { hasPrompt: prompt !== '' });
  return configuredBackend(backend, loadSettings({ program: 'baton', cwd }));
}

/** A compiled agent enforces its own permission mode; only the user's `allow-all` is passed on. */
function runOptions({
  cwd,
  env,
  permissionMode,
  options,
  command,
}: Pick<StepTask, 'cwd' | 'env' | 'permissionMode' | 'options' | 'command'>): RunOptions {
  if (!command) return { ...options, cwd, env, permissionMode };
  const { rawArgs = [] } = options;
  const flags = permissionMode === 'allow-all' ? [...rawArgs, SKIP_PERMISSIONS] : rawArgs;
  return { ...options, cwd, env, permissionMode: 'allow-all', rawArgs: flags };
}

async function checkAvailable(backend: Backend, cwd: string): Promise<void> {
  const { installed, problems, install } = await backend.probe({ cwd });
  const [problem] = problems;
  if (!installed) {
    const message = problem?.message ?? `${backend.label} is not installed.`;
    throw new BatonError('backend_not_found', message, { hint: problem?.hint ?? install ?? '' });
  }
  if (!problem) return;
  const code = problem.code as BatonError['code'];
  throw new BatonError(
    code,
    problem.message,
    problem.hint === undefined ? {} : { hint: problem.hint },
  );
}

function isDeniedForNobody(event: AgentEvent): boolean {
  const isResolved = event.type === 'permission.resolved' || event.type === 'question.resolved';
  return isResolved && event.by === 'nobody';
}

function endOf({ outcome, output, structured, usage, error }: RunResult): Omit<TaskEnd, 'marker'> {
  return { outcome, output, structured, usage, error };
}
