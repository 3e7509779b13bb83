import type { LeaseRow, Store, TaskRow } from '@baton/store';
import type { TaskClaims } from '../security/task-token.ts';

/** What an executor with a ready agent gets: its next task, nothing yet, or that there will be none for it. */
export type NextTask = LeaseRow | 'nothing yet' | 'none';
export type WaitForTask = (claims: TaskClaims, waitMs: number) => Promise<NextTask>;

/** So long a task waits for an executor of its session that is about to ask for it. */
const ASKS_WITHIN_MS = 2000;

type Executor = Pick<TaskClaims, 'executorId' | 'sessionId' | 'taskId'>;

/**
 * An executor whose task has ended and whose agent is kept for more. It waits for a task with one call after another;
 * between two calls, and before the first, it is about to ask.
 */
export class ReadyAgent {
  readonly executorId: string;
  readonly sessionId: string;
  /** The task that it has carried out last. */
  readonly taskId: string;
  readonly since: number;
  /** Its pending calls; more than one if a broken connection was not noticed yet. */
  #calls = new Map<(next: NextTask) => void, NodeJS.Timeout>();
  #isHeld = false;
  #onSilence: () => void;
  #silence: NodeJS.Timeout;

  constructor({ executorId, sessionId, taskId }: Executor, since: number, onSilence: () => void) {
    this.executorId = executorId;
    this.sessionId = sessionId;
    this.taskId = taskId;
    this.since = since;
    this.#onSilence = onSilence;
    this.#silence = setTimeout(onSilence, ASKS_WITHIN_MS);
  }

  get isWaiting(): boolean {
    return this.#calls.size > 0;
  }

  /** Lets a call wait, for a while. */
  wait(waitMs: number): Promise<NextTask> {
    clearTimeout(this.#silence);
    const { promise, resolve } = Promise.withResolvers<NextTask>();
    const leave = () => {
      if (this.#isHeld) return;
      this.#calls.delete(resolve);
      if (!this.isWaiting) this.#silence = setTimeout(this.#onSilence, ASKS_WITHIN_MS);
      resolve('nothing yet');
    };
    this.#calls.set(resolve, setTimeout(leave, waitMs));
    return promise;
  }

  /** Keeps its calls pending until they are answered, so that a task is not given to an executor that has just left. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Answers all its calls. */
  answer(next: NextTask): void {
    clearTimeout(this.#silence);
    for (const [resolve, timer] of this.#calls) {
      clearTimeout(timer);
      resolve(next);
    }
    this.#calls.clear();
  }
}

/** The executors that wait with a ready agent, or are about to, by their ids. */
export class ReadyAgents {
  #store: Store;
  #onChange: () => void;
  #agents = new Map<string, ReadyAgent>();

  /** Tells when an executor asks, or does not although it was expected to: then another one may start. */
  constructor(store: Store, onChange: () => void) {
    this.#store = store;
    this.#onChange = onChange;
  }

  /** The task of an executor has ended: it asks for the next one in a moment. */
  expect(executor: Executor): void {
    this.#agentOf(executor);
  }

  /** Lets an executor wait, for a while. */
  wait(claims: TaskClaims, waitMs: number): Promise<NextTask> {
    const answer = this.#agentOf(claims).wait(waitMs);
    this.#onChange();
    return answer;
  }

  /** An executor has ended. */
  forget(executorId: string): void {
    this.#agents.get(executorId)?.answer('none');
    this.#agents.delete(executorId);
  }

  /** Tells an executor that there will be nothing for it. */
  dismiss({ executorId }: ReadyAgent): void {
    this.forget(executorId);
  }

  /** Gives an executor its next task. */
  give(agent: ReadyAgent, lease: LeaseRow): void {
    this.#agents.delete(agent.executorId);
    agent.answer(lease);
  }

  /** Tells every executor that there will be nothing for it. */
  dismissAll(): void {
    for (const executorId of [...this.#agents.keys()]) this.forget(executorId);
  }

  /** Whether an executor still waits. */
  has(agent: ReadyAgent): boolean {
    return agent.isWaiting && this.#agents.get(agent.executorId) === agent;
  }

  /** Whether the executor of a task waits for the next one, or is about to. */
  isReady(taskId: string): boolean {
    return [...this.#agents.values()].some((agent) => agent.taskId === taskId);
  }

  /** Those that wait. */
  waiting(): ReadyAgent[] {
    return [...this.#agents.values()].filter(({ isWaiting }) => isWaiting);
  }

  /** The sessions whose next task is for a ready agent. */
  sessions(): string[] {
    return [...this.#agents.values()].map(({ sessionId }) => sessionId);
  }

  /** The one that has waited longest. */
  oldest(): ReadyAgent | undefined {
    return this.waiting().toSorted((a, b) => a.since - b.since)[0];
  }

  /** The next task of an agent's session: one that it can go on with, one that it cannot, or none. */
  async nextFor({ sessionId, taskId }: ReadyAgent): Promise<TaskRow | 'another' | undefined> {
    const { tasks, sessions } = this.#store.records;
    const where = { session_id: sessionId };
    const inOrder = await tasks.find({ where, orderBy: ['position', 'desc'], limit: 50 });
    const last = inOrder.find(({ started_at }) => started_at !== null);
    // Another executor continued the session meanwhile: this agent's context is stale.
    if (last?.task_id !== taskId || last.completed_at === null) return 'another';
    const waiting = inOrder.filter(({ status }) => status === 'QUEUED').at(-1);
    if (!waiting || (await sessions.get(sessionId))?.queue_paused) return undefined;
    return isServed(last, waiting) ? waiting : 'another';
  }

  #agentOf(executor: Executor): ReadyAgent {
    const known = this.#agents.get(executor.executorId);
    if (known?.taskId === executor.taskId) return known;
    known?.answer('none');
    const onSilence = () => {
      this.#agents.delete(executor.executorId);
      this.#onChange();
    };
    const agent = new ReadyAgent(executor, this.#store.now(), onSilence);
    this.#agents.set(executor.executorId, agent);
    return agent;
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
