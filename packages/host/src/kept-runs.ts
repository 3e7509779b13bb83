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
  type JoinHooks,
  type LogEvent,
  type Outcome,
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
  type WorkspaceRecord,
  type WorkspaceRequest,
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
import type { Turn } from '@baton/workspaces/turn';
import { placedBy } from './placed-by.ts';
import { RunWriter } from './run-writer.ts';

/** Nobody renews it: the process that launched a run owns its task. */
const LEASE_MS = 365 * 24 * 3600 * 1000;
/** Another process does not announce what it writes, nor does a failed write: the log is read again after this time. */
const RECHECK_MS = 1000;
const PAGE = 1000;
const INTERRUPTED = 'The process that ran the agent ended.';

/** A run of this process. */
type ActiveRun = { run: AgentRun; writer: RunWriter; turn: Turn | undefined };

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
    const { onRequest, requests, signal, onWorkspace } = request;
    const { json, parse } = readOutputSchema(request.outputSchema);
    if (task.status === 'QUEUED') {
      const resume = await this.#nativeOf(sessionId);
      const { onRequest: _asks, requests: _policy, signal: _signal, ...own } = input;
      const given = { ...own, ...(resume && { resume }), ...(json && { outputSchema: json }) };
      await this.#start(backend, { ...given, runId: taskId }, request);
    }
    return this.#hosted(task, { onRequest, requests, signal, parse, onWorkspace });
  }

  async join({ taskId }: RunIds, hooks: JoinHooks = {}): Promise<HostedRun> {
    return this.#hosted(await this.#taskOf(taskId), { ...hooks, isJoined: true });
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
    const { cwd = process.cwd(), prompt, workspace } = request;
    const { title = titleOf(prompt) } = request;
    if (!(await store.records.sessions.get(sessionId))) {
      const session = { cwd, backend, permissionMode, title, workspace };
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

  async #start(
    backend: Backend,
    input: RunInput & { runId: string },
    request: HostRequest,
  ): Promise<void> {
    const { runId: taskId } = input;
    const claim = await this.#claim(taskId);
    const writer = new RunWriter(this.#store, claim);
    let turn: Turn | undefined;
    try {
      turn = await this.#beginTurn(request, claim, writer);
    } catch (error) {
      await writer.flush();
      if (!BatonError.is(error)) throw error;
      // The run has failed before its agent started: its events say how far the worktree came.
      await this.#end(claim.task, error, request.signal?.aborted ? 'cancelled' : 'failed');
      return;
    }
    try {
      if (!(await this.#store.leases.startAgent(taskId, claim.lease.fence))) throw taken(taskId);
      const placed = turn && (await placedBy(turn, input));
      const run = backend.run({ ...input, ...placed });
      const { session_id: sessionId } = claim.task;
      this.#failures.delete(sessionId);
      const active = { run, writer, turn };
      this.#active.set(taskId, active);
      void this.#write(active)
        .catch((error: unknown) => this.#failures.set(sessionId, error))
        .finally(() => this.#active.delete(taskId));
    } catch (error) {
      await turn?.end();
      await writer.flush().catch(() => {});
      if (BatonError.is(error) && error.code !== 'lease_lost') await this.#end(claim.task, error);
      throw error;
    }
  }

  /** Takes the worktree of a session into use; undefined for a session that works in its folder. */
  async #beginTurn(
    { cwd = process.cwd(), prompt, by, signal }: HostRequest,
    { task }: Claim,
    writer: RunWriter,
  ): Promise<Turn | undefined> {
    const session = await this.#store.records.sessions.get(task.session_id);
    const workspace = parsed<WorkspaceRecord>(session?.workspace);
    const request = parsed<WorkspaceRequest>(session?.workspace_request);
    if ((workspace ?? request)?.kind !== 'worktree') return undefined;
    const { Turn, WorkspaceHome } = await import('@baton/workspaces/turn');
    return Turn.begin({
      ...{ home: new WorkspaceHome(), sessionId: task.session_id, taskId: task.task_id },
      ...{ cwd, workspace, request, prompt, createdBy: by, signal },
      onEvent: (event) => writer.writeOwn(event),
    });
  }

  async #write({ run, writer, turn }: ActiveRun): Promise<void> {
    let isKept = false;
    try {
      for await (const event of run) {
        if (event.type === 'tool.completed') turn?.progress();
        // The files are kept while the task still counts as running.
        if (event.type === 'run.completed') {
          isKept = true;
          await turn?.end();
        }
        await writer.write(event);
      }
      await writer.flush();
    } finally {
      if (!isKept) await turn?.end().catch(() => {});
    }
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

  async #end(task: TaskRow, error: BatonError, outcome: Outcome = 'failed'): Promise<void> {
    const store = this.#store;
    await store.log.append(task.session_id, ({ tasks, ...state }) => {
      const open = tasks.get(task.task_id);
      const info = errorInfo(error.code, error.message, { hint: error.hint });
      const ending = { outcome, error: info };
      const drafts = open ? endingOf({ tasks, ...state }, open, ending, store.now()) : [];
      return { drafts, result: undefined };
    });
  }
}

function parsed<Value>(json: string | null | undefined): Value | undefined {
  return json == null ? undefined : (JSON.parse(json) as Value);
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
