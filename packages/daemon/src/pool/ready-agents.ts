import type { LeaseRow, Store, TaskRow } from '@baton/store';
import type { TaskClaims } from '../security/task-token.ts';

/** What an executor with a ready agent gets: its next task, nothing yet, or that there will be none for it. */
export type NextTask = LeaseRow | 'nothing yet' | 'none';
export type WaitForTask = (claims: TaskClaims, waitMs: number) => Promise<NextTask>;

/** An executor whose task has ended and whose agent waits for more. */
export type ReadyAgent = {
  executorId: string;
  sessionId: string;
  /** The task that it has carried out last. */
  taskId: string;
  since: number;
  /** Answers the executor, while it waits. */
  answer(next: NextTask): void;
  /** Keeps it waiting until it is answered, so that a task is not given to somebody who has just left. */
  hold(): void;
};

/** The executors that wait with a ready agent, by their sessions. */
export class ReadyAgents {
  #store: Store;
  #ready = new Map<string, ReadyAgent>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Lets an executor wait, for a while. */
  async wait(
    { sessionId, taskId, executorId }: TaskClaims,
    waitMs: number,
    onReady: () => void,
  ): Promise<NextTask> {
    const { promise, resolve } = Promise.withResolvers<NextTask>();
    const since = this.#ready.get(sessionId)?.since ?? this.#store.now();
    const leave = () => {
      this.#forget(agent);
      resolve('nothing yet');
    };
    const timer = setTimeout(leave, waitMs);
    const hold = () => clearTimeout(timer);
    const agent: ReadyAgent = { executorId, sessionId, taskId, since, answer: resolve, hold };
    this.#ready.set(sessionId, agent);
    onReady();
    const next = await promise;
    clearTimeout(timer);
    this.#forget(agent);
    return next;
  }

  /** Between two calls it is not there: what comes then is for a new executor. */
  #forget(agent: ReadyAgent): void {
    if (this.#ready.get(agent.sessionId) === agent) this.#ready.delete(agent.sessionId);
  }

  /** Whether an executor still waits. */
  has(agent: ReadyAgent): boolean {
    return this.#ready.get(agent.sessionId) === agent;
  }

  /** Whether the executor of a task waits for the next one. */
  isReady(taskId: string): boolean {
    return this.all().some((agent) => agent.taskId === taskId);
  }

  /** The one that waits for an executor. */
  ofExecutor(executorId: string): ReadyAgent | undefined {
    return this.all().find((agent) => agent.executorId === executorId);
  }

  all(): ReadyAgent[] {
    return [...this.#ready.values()];
  }

  /** The one that has waited longest. */
  oldest(): ReadyAgent | undefined {
    return this.all().toSorted((a, b) => a.since - b.since)[0];
  }

  /** Tells an executor that there will be nothing for it. */
  dismiss(agent: ReadyAgent): void {
    this.#ready.delete(agent.sessionId);
    agent.answer('none');
  }

  /** The next task of an agent's session: one that it can go on with, one that it cannot, or none. */
  async nextFor({ sessionId, taskId }: ReadyAgent): Promise<TaskRow | 'another' | undefined> {
    const { tasks, sessions } = this.#store.records;
    if ((await sessions.get(sessionId))?.queue_paused) return undefined;
    const where = { session_id: sessionId };
    const inOrder = await tasks.find({ where, orderBy: ['position', 'desc'], limit: 50 });
    const waiting = inOrder.filter(({ status }) => status === 'QUEUED').at(-1);
    if (!waiting) return undefined;
    const last = inOrder.find(({ started_at }) => started_at !== null);
    // Somebody else may have gone on with the session meanwhile.
    const isCurrent = last?.task_id === taskId && last.completed_at !== null;
    return isCurrent && isServed(last, waiting) ? waiting : 'another';
  }
}

/** A sandbox shows the attachments of the task that it was made for, and no later ones. */
function isServed(last: TaskRow, waiting: TaskRow): boolean {
  return waiting.attachments === '[]' && needs(last) === needs(waiting);
}

/** What an agent is started with: for a task that needs something else it is of no use. */
function needs({ backend, model, permission_mode, options, created_by }: TaskRow): string {
  return JSON.stringify([backend, model, permission_mode, options, created_by]);
}
