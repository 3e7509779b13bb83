import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Registry } from '@baton/agents/registry/registry';
import type { Backend, RunInput } from '@baton/engine/definition/backend';
import { sweepOrphans } from '@baton/process';
import {
  type AgentRun,
  BatonError,
  errorInfo,
  type FoundRun,
  type HostedRun,
  type HostRequest,
  isFinal,
  type LogEvent,
  type RequestAnswer,
  RUN_OPTION_KEYS,
  type RunIds,
  type RunLog,
  type RunResult,
  readOutputSchema,
  TaskRun,
  type TaskRunHooks,
  type TaskStatus,
  type Usage,
} from '@baton/protocol';
import {
  type Claim,
  endingOf,
  requeueTask,
  type SessionMoved,
  type Store,
  type TaskRow,
  titleOf,
} from '@baton/store';
import { RunWriter } from './run-writer.ts';

/** Nobody renews it: the process that launched a run owns its task. */
const LEASE_MS = 365 * 24 * 3600 * 1000;
/** Another process does not announce what it writes, nor does a failed write: the log is read again after this time. */
const RECHECK_MS = 1000;
const PAGE = 1000;
const INTERRUPTED = 'The process that ran the agent ended.';

/** A run of this process. */
type ActiveRun = { run: AgentRun; writer: RunWriter };

/** The runs of a host with a store: their sessions and tasks are kept in it like those of a daemon. */
export class KeptRuns {
  #store: Store;
  #registry: Registry;
  #executorId = randomUUID();
  #active = new Map<string, ActiveRun>();
  /** Reasons why the events of a session's last run could not be stored. */
  #failures = new Map<string, unknown>();
  #log: RunLog;

  constructor(store: Store, registry: Registry) {
    this.#store = store;
    this.#registry = registry;
    this.#log = {
      follow: (sessionId, options) => this.#follow(sessionId, options),
      answer: ({ task_id }, given) => this.#answer(task_id, given),
      steer: async ({ task_id }, text) => this.#ownRun(task_id).run.steer(text),
      // The run reports its stop as its last event.
      stop: async ({ task_id }, reason) => void this.#ownRun(task_id).run.cancel(reason),
    };
  }

  /** Starts a run, unless its task is there already. */
  async launch(
    backend: Backend,
    request: HostRequest,
    input: Omit<RunInput, 'outputSchema'>,
  ): Promise<HostedRun> {
    const sessionId = request.session ?? request.newSession ?? randomUUID();
    const taskId = request.taskId ?? randomUUID();
    await this.#create(request, { sessionId, taskId });
    const task = await this.#taskOf(taskId);
    const { onRequest, requests, signal } = request;
    const { json, parse } = readOutputSchema(request.outputSchema);
    if (task.status === 'QUEUED') {
      const resume = await this.#nativeOf(sessionId);
      const { onRequest: _asks, requests: _policy, signal: _signal, ...own } = input;
      await this.#start(backend, {
        ...own,
        ...(resume && { resume }),
        ...(json && { outputSchema: json }),
        runId: taskId,
      });
    }
    return this.#hosted(task, { onRequest, requests, signal, parse });
  }

  async join({ taskId }: RunIds): Promise<HostedRun> {
    return this.#hosted(await this.#taskOf(taskId), { isJoined: true });
  }

  async find({ taskId }: RunIds): Promise<FoundRun> {
    if (this.#active.has(taskId)) return { state: 'running' };
    const store = this.#store;
    const task = await store.records.tasks.get(taskId);
    if (!task || task.status === 'QUEUED') return { state: 'not_started' };
    if (isFinal(task.status as TaskStatus)) {
      return isInterrupted(task) ? this.#interrupted(task) : { state: 'ended' };
    }
    const lease = await store.leases.get(taskId);
    if (lease && (await requeueTask(store.log, lease, { hadExecutor: false })) === 'requeued') {
      return { state: 'not_started' };
    }
    // The agent may have survived the process that started it, and must not go on beside its continuation.
    await sweepOrphans();
    await this.#end(task, new BatonError('interrupted', INTERRUPTED));
    return this.#interrupted(task);
  }

  async stop(ids: RunIds, reason?: string): Promise<RunResult> {
    const { state } = await this.find(ids);
    if (state !== 'ended' && state !== 'running') {
      return { outcome: 'cancelled', output: '', durationMs: 0 };
    }
    const { run } = await this.join(ids);
    if (state === 'running') void run.cancel(reason);
    return run.collect();
  }

  #hosted({ session_id, task_id, position }: TaskRow, hooks: TaskRunHooks): HostedRun {
    const run = new TaskRun(this.#log, { session_id, task_id, position }, hooks);
    const leave = () => {
      run.leave();
      // This process owns it: nobody would be left to follow it.
      void this.#active.get(task_id)?.run.cancel();
    };
    return { run, sessionId: session_id, leave };
  }

  async #create(
    { backend, model, permissionMode = 'ask', ...request }: HostRequest,
    { sessionId, taskId }: RunIds,
  ): Promise<void> {
    const store = this.#store;
    const { cwd = process.cwd(), prompt } = request;
    const { title = titleOf(prompt) } = request;
    if (!(await store.records.sessions.get(sessionId))) {
      const session = { cwd, backend, permissionMode, title };
      await store.log.create(sessionId, [{ type: 'session.created', ...session }]);
    }
    if (await store.records.tasks.get(taskId)) return;
    const options = storedOptions(request);
    await store.log.append(sessionId, () => ({
      drafts: [
        {
          ...{ type: 'prompt.queued', taskId, backend, model, permissionMode, options },
          // A compiled agent may have its own.
          prompt: prompt || 'The prompt of the agent',
        },
      ],
      result: undefined,
    }));
  }

  async #start(backend: Backend, input: RunInput & { runId: string }): Promise<void> {
    const { runId: taskId } = input;
    const claim = await this.#claim(taskId);
    try {
      if (!(await this.#store.leases.startAgent(taskId, claim.lease.fence))) throw taken(taskId);
      const run = backend.run(input);
      const writer = new RunWriter(this.#store, claim);
      const { session_id: sessionId } = claim.task;
      this.#failures.delete(sessionId);
      this.#active.set(taskId, { run, writer });
      void this.#write(run, writer)
        .catch((error: unknown) => this.#failures.set(sessionId, error))
        .finally(() => this.#active.delete(taskId));
    } catch (error) {
      if (BatonError.is(error) && error.code !== 'lease_lost') await this.#end(claim.task, error);
      throw error;
    }
  }

  async #write(run: AgentRun, writer: RunWriter): Promise<void> {
    for await (const event of run) await writer.write(event);
    await writer.flush();
  }

  async #claim(taskId: string): Promise<Claim> {
    const claim = await this.#store.queue.claim({
      ...{ executorId: this.#executorId, daemonId: 'embedded', host: hostname() },
      leaseMs: LEASE_MS,
      taskId,
    });
    if (claim) return claim;
    throw taken(taskId);
  }

  async #taskOf(taskId: string): Promise<TaskRow> {
    const task = await this.#store.records.tasks.get(taskId);
    if (task) return task;
    throw new BatonError('not_found', `Task "${taskId}" not found.`);
  }

  async #nativeOf(sessionId: string): Promise<string | undefined> {
    return (await this.#store.records.sessions.get(sessionId))?.native_session_id ?? undefined;
  }

  #ownRun(taskId: string): ActiveRun {
    const active = this.#active.get(taskId);
    if (active) return active;
    throw new BatonError('conflict', `Task "${taskId}" does not run in this process.`);
  }

  /** Stores an answer before the agent gets it: the store rejects the result of an answer that it has not seen. */
  async #answer(
    taskId: string,
    { requestId, answer }: { requestId: string; answer: RequestAnswer },
  ): Promise<'accepted' | 'late'> {
    const active = this.#active.get(taskId);
    if (!active) return 'late';
    const { run, writer } = active;
    if (isOfUser(answer) && !(await writer.answer(requestId, answer))) return 'late';
    const receipt = await run.answer(requestId, answer);
    if (receipt !== 'unknown') return receipt;
    throw new BatonError('not_found', `Request "${requestId}" not found in this task.`);
  }

  async *#follow(
    sessionId: string,
    { after, signal }: { after: number; signal?: AbortSignal | undefined },
  ): AsyncGenerator<LogEvent> {
    for (let cursor = after; !signal?.aborted; ) {
      // Listens first: an event may come while the log is read.
      const moved = this.#moved(sessionId, signal);
      try {
        const { events } = await this.#store.log.read(sessionId, cursor, PAGE);
        for (const event of events) {
          if (signal?.aborted) return;
          yield event;
          cursor = event.cursor;
        }
        if (events.length > 0) continue;
        if (this.#failures.has(sessionId)) throw this.#failures.get(sessionId);
        await moved.promise;
      } finally {
        moved.cancel();
      }
    }
  }

  /** Settles when the session may have new events, or on an abort. */
  #moved(sessionId: string, signal: AbortSignal | undefined) {
    const { wakeUps } = this.#store;
    const { promise, resolve } = Promise.withResolvers<void>();
    const settle = () => resolve();
    const onSession = (moved: SessionMoved) => {
      if (moved.sessionId === sessionId) settle();
    };
    const timer = setTimeout(settle, RECHECK_MS);
    wakeUps.on('session', onSession);
    signal?.addEventListener('abort', settle);
    return {
      promise,
      cancel() {
        clearTimeout(timer);
        wakeUps.off('session', onSession);
        signal?.removeEventListener('abort', settle);
      },
    };
  }

  async #interrupted(task: TaskRow): Promise<FoundRun> {
    const canResume = this.#registry.find(task.backend)?.capabilities.features.resume ?? false;
    const canContinue = canResume && (await this.#nativeOf(task.session_id)) !== undefined;
    const usage = task.usage === null ? undefined : (JSON.parse(task.usage) as Usage);
    return { state: 'interrupted', canContinue, usage };
  }

  async #end(task: TaskRow, error: BatonError): Promise<void> {
    const store = this.#store;
    await store.log.append(task.session_id, ({ tasks, ...state }) => {
      const open = tasks.get(task.task_id);
      const info = errorInfo(error.code, error.message, { hint: error.hint });
      const ending = { outcome: 'failed' as const, error: info };
      const drafts = open ? endingOf({ tasks, ...state }, open, ending, store.now()) : [];
      return { drafts, result: undefined };
    });
  }
}

function taken(taskId: string): BatonError {
  return new BatonError('lease_lost', `Task "${taskId}" belongs to another process.`);
}

function isInterrupted({ error }: TaskRow): boolean {
  return error !== null && (JSON.parse(error) as { code?: string }).code === 'interrupted';
}

function isOfUser(answer: RequestAnswer): boolean {
  return answer.by === undefined || answer.by === 'person';
}

/** Options that have a place of their own in the log, or may contain secrets. */
const NOT_STORED: ReadonlySet<string> = new Set([
  'cwd',
  'model',
  'permissionMode',
  'env',
  'mcpConfig',
]);

function storedOptions(request: Omit<HostRequest, 'backend' | 'model' | 'permissionMode'>) {
  const keys = RUN_OPTION_KEYS.filter((key) => !NOT_STORED.has(key));
  const { json: outputSchema } = readOutputSchema(request.outputSchema);
  const given = { ...request, outputSchema } as Record<string, unknown>;
  const values = keys.flatMap((key) => (given[key] === undefined ? [] : [[key, given[key]]]));
  return Object.fromEntries(values) as Record<string, unknown>;
}
