import { loadSettings } from '@baton/config/settings';
import type { Backend } from '@baton/engine/definition/backend';
import { resolveOptions } from '@baton/engine/options/check-options';
import {
  type AgentRun,
  type BackendFacts,
  BatonError,
  type FolderTrust,
  type FoundRun,
  type Host,
  type HostedRun,
  type HostRequest,
  isFinal,
  type JoinHooks,
  type LogEvent,
  type OutputSchema,
  type Probe,
  type RunIds,
  type RunLog,
  type RunResult,
  readOutputSchema,
  type StructuredOf,
  TaskRun,
  type TaskRunHooks,
  type TaskStatus,
  type Usage,
} from '@baton/protocol';
import { decideTrust } from '@baton/workspaces';
import { answerRequest } from '../commands/answer-request.ts';
import { createConfiguredSession } from '../commands/create-session.ts';
import { queuePrompt } from '../commands/queue-prompt.ts';
import { steerTask } from '../commands/steer-task.ts';
import { stopTask } from '../commands/stop-task.ts';
import type { SharedContext } from '../context.ts';
import { checkOptions } from '../settings/check-agent-options.ts';
import { withStoredKeys } from '../settings/with-stored-keys.ts';

const AT_ONCE = 1000;
/** Length of one wait for events. */
const WAIT_MS = 10_000;

type HostContext = Pick<
  SharedContext,
  'baton' | 'store' | 'feed' | 'workspaces' | 'runsTasks' | 'startWaiting'
>;

/** Runs the steps of chains as tasks in the queue of this daemon, by its executors. */
export class DaemonHost implements Host {
  readonly url = undefined;
  #context: HostContext;
  #log: RunLog;

  constructor(context: HostContext) {
    this.#context = context;
    const { store, baton } = context;
    const { registry } = baton;
    this.#log = {
      follow: (sessionId, options) => this.#follow(sessionId, options),
      answer: ({ session_id, task_id: taskId }, given) =>
        answerRequest(store, session_id, { taskId, ...given }),
      steer: ({ session_id, task_id: taskId }, text) =>
        steerTask({ store, registry }, session_id, { taskId, text }),
      stop: ({ session_id, task_id: taskId }, reason) =>
        stopTask(store, session_id, { taskId, reason }),
    };
  }

  async describe(name: string): Promise<BackendFacts> {
    return this.#context.baton.backend(name);
  }

  async probe(name: string, cwd: string): Promise<Probe> {
    return (await this.#backend(name, cwd)).probe({ cwd });
  }

  async check(request: Omit<HostRequest, 'prompt'>): Promise<void> {
    const { backend: name, cwd = '.', command, env, permissionMode, ...options } = request;
    if (command) {
      throw new BatonError(
        'capability_missing',
        'A daemon does not start the commands of a file.',
        {
          hint: 'Add the agent to "agents" in the configuration of the daemon and use its name as the backend, or run the chain without a daemon.',
        },
      );
    }
    if (/\$\{/.test(JSON.stringify([env, options.mcpConfig]))) {
      throw new BatonError('capability_missing', 'A daemon does not insert its own variables.', {
        hint: 'Store the value as an API key or an MCP server of the daemon, or run the chain without a daemon.',
      });
    }
    const { baton } = this.#context;
    const { id } = baton.backend(name);
    await checkOptions(baton, id, { ...options, env });
    if (!this.#context.runsTasks) return;
    const backend = await this.#backend(id, cwd);
    const { json: outputSchema } = readOutputSchema(options.outputSchema);
    resolveOptions(
      backend,
      { ...options, outputSchema, env, cwd, permissionMode },
      baton.backends(),
    );
    await this.#checkAvailable(backend, cwd);
  }

  async launch<const Schema extends OutputSchema = OutputSchema>(
    request: HostRequest<Schema>,
  ): Promise<HostedRun<AgentRun<StructuredOf<Schema>>>> {
    const { by, session, newSession, taskId, title, cwd = '.', prompt, ...rest } = request;
    const {
      onRequest,
      requests,
      signal,
      workspace,
      onWorkspace,
      onConnection: _c,
      onLaunch: _l,
      onPrinted: _p,
      trusted: _t,
      ...given
    } = rest;
    const {
      backend,
      permissionMode = 'ask',
      model,
      command: _command,
      outputSchema,
      ...options
    } = given;
    const { baton, store, startWaiting } = this.#context;
    const { id } = baton.backend(backend);
    const { session_id: sessionId } = session
      ? { session_id: session }
      : await createConfiguredSession(this.#context, {
          ...{ by, cwd, backend: id, permissionMode, title, sessionId: newSession, workspace },
        });
    const { json, parse } = readOutputSchema(outputSchema);
    const queued = await queuePrompt(store, sessionId, {
      ...{ by, prompt, backend: id, model, permissionMode, taskId },
      options: defined({ ...options, outputSchema: json }),
    });
    await startWaiting();
    const ids = { sessionId, taskId: queued };
    return this.#hosted(ids, { onRequest, requests, signal, parse, onWorkspace });
  }

  join(ids: RunIds, hooks: JoinHooks = {}): Promise<HostedRun> {
    return this.#hosted(ids, { ...hooks, isJoined: true });
  }

  async find({ taskId }: RunIds): Promise<FoundRun> {
    const { records } = this.#context.store;
    const task = await records.tasks.get(taskId);
    if (!task) return { state: 'not_started' };
    if (!isFinal(task.status as TaskStatus)) return { state: 'running' };
    const error = task.error === null ? undefined : (JSON.parse(task.error) as { code: string });
    if (error?.code !== 'interrupted') return { state: 'ended' };
    const session = await records.sessions.get(task.session_id);
    const entry = this.#context.baton.registry.find(task.backend);
    const canResume = entry?.capabilities.features.resume ?? false;
    const canContinue = canResume && session?.native_session_id != null;
    const usage = task.usage === null ? undefined : (JSON.parse(task.usage) as Usage);
    return { state: 'interrupted', canContinue, usage };
  }

  async stop(ids: RunIds, reason = 'The chain was stopped.'): Promise<RunResult> {
    if (!(await this.#context.store.records.tasks.get(ids.taskId))) {
      return { outcome: 'cancelled', output: '', durationMs: 0 };
    }
    const { run } = await this.join(ids);
    void run.cancel(reason);
    return run.collect();
  }

  async trustOf({
    backend,
    cwd = '.',
  }: Pick<HostRequest, 'backend' | 'cwd'>): Promise<FolderTrust> {
    return (await this.#backend(backend, cwd)).trustOf({ cwd });
  }

  async keepTrust(folder: string, trusted: boolean): Promise<void> {
    decideTrust(this.#context.workspaces, folder, trusted);
  }

  async #hosted<Structured>(
    { sessionId, taskId }: RunIds,
    hooks: TaskRunHooks,
  ): Promise<HostedRun<TaskRun<Structured>>> {
    const task = await this.#context.store.records.tasks.get(taskId);
    if (!task) throw new BatonError('not_found', `Task "${taskId}" not found.`);
    const { session_id, task_id, position } = task;
    const run = new TaskRun<Structured>(this.#log, { session_id, task_id, position }, hooks);
    return { run, sessionId, leave: () => run.leave() };
  }

  async *#follow(
    sessionId: string,
    { after, signal }: { after: number; signal?: AbortSignal | undefined },
  ): AsyncGenerator<LogEvent> {
    const { feed } = this.#context;
    const aborted = new Promise<undefined>((resolve) => {
      signal?.addEventListener('abort', () => resolve(undefined), { once: true });
      if (signal?.aborted) resolve(undefined);
    });
    for (let cursor = after; ; ) {
      // A closed feed returns no more events. The daemon that closes it also aborts the signal.
      const next = feed.isClosed
        ? aborted
        : feed.next({ sessionId, after: cursor, limit: AT_ONCE, waitMs: WAIT_MS });
      const page = await Promise.race([next, aborted]);
      if (!page) return;
      cursor = page.cursor;
      for (const event of page.events) {
        if (signal?.aborted) return;
        yield event;
      }
    }
  }

  #backend(name: string, cwd: string): Promise<Backend> {
    const settings = loadSettings({ program: 'baton', cwd, onProblem: () => {} });
    const { baton } = this.#context;
    return baton.withSettings(settings).load(baton.backend(name));
  }

  /** A key that the daemon keeps counts like one of the machine. */
  async #checkAvailable(backend: Backend, cwd: string): Promise<void> {
    const { baton, store } = this.#context;
    const key_variables = (await baton.backend(backend.id).keyVariables?.(process.env)) ?? [];
    const probe = await backend.probe({ cwd });
    const known = await withStoredKeys(store, undefined, { probe, key_variables });
    const [problem] = known.probe.problems;
    if (known.probe.installed && !problem) return;
    const message = problem?.message ?? `${backend.label} is not installed.`;
    const code = (problem?.code ?? 'backend_not_found') as BatonError['code'];
    throw new BatonError(code, message, { hint: problem?.hint ?? known.probe.install ?? '' });
  }
}

function defined(options: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
