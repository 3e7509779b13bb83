import {
  type AgentStep,
  Detached,
  type FoundTask,
  type StepHost,
  type StepTask,
  type TaskEnd,
  taskEndOf,
  usageOf,
} from '@baton/orchestra';
import { BatonError, isFinal, type TaskStatus } from '@baton/protocol';
import {
  type Backend,
  backendEntry,
  configuredBackend,
  findBackend,
  loadSettings,
  resolveOptions,
} from '@baton/runtime/internal';
import type { SessionMoved } from '@baton/store';
import { createConfiguredSession } from '../commands/create-session.ts';
import { queuePrompt } from '../commands/queue-prompt.ts';
import { stopTask } from '../commands/stop-task.ts';
import type { SharedContext } from '../context.ts';
import { checkOptions } from '../settings/check-agent-options.ts';
import { withStoredKeys } from '../settings/with-stored-keys.ts';

/** A notification of another daemon may get lost: then the task is read again. */
const RECHECK_MS = 10_000;

type HostContext = Pick<SharedContext, 'store' | 'runsTasks' | 'startWaiting'>;

/** Runs the steps of chains as tasks in the queue of the daemon, by its executors. */
export class DaemonHost implements StepHost {
  #context: HostContext;

  constructor(context: HostContext) {
    this.#context = context;
  }

  async check(step: AgentStep, name: string, cwd: string): Promise<void> {
    if (step.command) {
      throw new BatonError(
        'capability_missing',
        'A daemon does not start the commands of a file.',
        {
          hint: 'Add the agent to "agents" in the configuration of the daemon and use its name as the backend, or run the chain without a daemon.',
        },
      );
    }
    if (/\$\{/.test(JSON.stringify([step.env, step.options.mcpConfig]))) {
      throw new BatonError('capability_missing', 'A daemon does not insert its own variables.', {
        hint: 'Store the value as an API key or an MCP server of the daemon, or run the chain without a daemon.',
      });
    }
    const { id } = backendEntry(name);
    const { permissionMode, env, options } = step;
    await checkOptions(id, { ...options, env });
    if (!this.#context.runsTasks) return;
    const settings = loadSettings({ program: 'baton', cwd, onProblem: () => {} });
    const backend = await configuredBackend(id, settings);
    resolveOptions(backend, { ...options, env, cwd, permissionMode });
    await this.#checkAvailable(backend, cwd);
  }

  hasBudget(name: string): boolean {
    const support = findBackend(name)?.capabilities.options.budgetUsd.support;
    return support !== undefined && support !== 'unsupported';
  }

  async run(task: StepTask, { signal }: { signal: AbortSignal }): Promise<TaskEnd> {
    const { store } = this.#context;
    const { by, sessionId, taskId, backend, permissionMode, cwd, prompt, env, chain, step } = task;
    const title = `${chain}: ${step}`;
    const { id } = backendEntry(backend);
    const session = { by, cwd, backend: id, permissionMode, title, sessionId };
    if (!task.continues) await createConfiguredSession(this.#context, session);
    const { model, ...options } = task.options;
    await queuePrompt(store, sessionId, {
      ...{ by, prompt, backend: id, model, permissionMode, taskId },
      options: { ...options, ...(env ? { env } : {}) },
    });
    await this.#context.startWaiting();
    return this.#end(sessionId, taskId, signal);
  }

  async find(_sessionId: string, taskId: string): Promise<FoundTask> {
    const { store } = this.#context;
    const task = await store.records.tasks.get(taskId);
    if (!task) return { state: 'not_started' };
    if (!isFinal(task.status as TaskStatus)) return { state: 'running' };
    const end = await taskEndOf(store, task);
    if (end.error?.code !== 'interrupted') return { state: 'ended', end };
    const session = await store.records.sessions.get(task.session_id);
    const canResume = findBackend(task.backend)?.capabilities.features.resume ?? false;
    const canContinue = canResume && session?.native_session_id != null;
    return { state: 'interrupted', canContinue, usage: usageOf(task) };
  }

  stop(sessionId: string, taskId: string): Promise<TaskEnd> {
    return this.#end(sessionId, taskId, AbortSignal.abort());
  }

  /** Waits for the end of a task; an abort stops it. */
  async #end(sessionId: string, taskId: string, signal: AbortSignal): Promise<TaskEnd> {
    const { store } = this.#context;
    let isStopping = false;
    for (;;) {
      const moved = this.#moved(sessionId, isStopping ? undefined : signal);
      try {
        const task = await store.records.tasks.get(taskId);
        if (!task) return { outcome: 'cancelled', output: '', marker: false };
        if (isFinal(task.status as TaskStatus)) return await taskEndOf(store, task);
        if (signal.aborted && signal.reason instanceof Detached) throw signal.reason;
        if (signal.aborted && !isStopping) {
          isStopping = true;
          await stopTask(store, sessionId, { taskId, reason: 'The chain was stopped.' });
          continue;
        }
        await moved.promise;
      } finally {
        moved.cancel();
      }
    }
  }

  /** Settles when a task of the session may have ended, or on an abort. */
  #moved(sessionId: string, signal: AbortSignal | undefined) {
    const { wakeUps } = this.#context.store;
    const { promise, resolve } = Promise.withResolvers<void>();
    const settle = () => resolve();
    const onSession = (moved: SessionMoved) => {
      if (moved.sessionId !== sessionId) return;
      const hasEnd = moved.events?.some(({ type }) => type === 'run.completed') ?? true;
      if (hasEnd) settle();
    };
    const timer = setTimeout(settle, RECHECK_MS);
    wakeUps.on('session', onSession);
    wakeUps.on('all', settle);
    signal?.addEventListener('abort', settle);
    return {
      promise,
      cancel() {
        clearTimeout(timer);
        wakeUps.off('session', onSession);
        wakeUps.off('all', settle);
        signal?.removeEventListener('abort', settle);
      },
    };
  }

  /** A key that the daemon keeps counts like one of the machine. */
  async #checkAvailable(backend: Backend, cwd: string): Promise<void> {
    const { store } = this.#context;
    const key_variables = (await backendEntry(backend.id).keyVariables?.(process.env)) ?? [];
    const probe = await backend.probe({ cwd });
    const known = await withStoredKeys(store, undefined, { probe, key_variables });
    const [problem] = known.probe.problems;
    if (known.probe.installed && !problem) return;
    const message = problem?.message ?? `${backend.label} is not installed.`;
    const code = (problem?.code ?? 'backend_not_found') as BatonError['code'];
    throw new BatonError(code, message, { hint: problem?.hint ?? known.probe.install ?? '' });
  }
}
