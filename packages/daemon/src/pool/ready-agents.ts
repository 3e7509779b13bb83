import type { LeaseRow, Store, TaskRow } from '@baton/store';
import type { NextTask } from '../context.ts';
import type { TaskClaims } from '../security/task-token.ts';

/** Longest wait of a task for an executor of its session that is about to ask for it. */
const ASKS_WITHIN_MS = 2000;

type Executor = Pick<TaskClaims, 'executorId' | 'sessionId' | 'taskId'>;

/**
 * An executor whose task has ended and whose agent is kept for more. It waits for a task with repeated calls; between
 * two calls, and before the first, it is about to ask.
 */
export class ReadyAgent {
  readonly executorId: string;
  readonly sessionId: string;
  /** The task that it has carried out last. */
  readonly taskId: string;
  readonly since: number;
  /** Its pending calls; more than one if a broken connection is not detected yet. */
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

  /** Holds a call for up to the given time. */
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

  /** Keeps its calls pending until they are answered, so that no task is assigned to an executor that has just left. */
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

/** Executors that wait with a ready agent, or are about to, by id. */
export class ReadyAgents {
  #store: Store;
  #onChange: () => void;
  #agents = new Map<string, ReadyAgent>();

  /** Calls `onChange` when an executor asks for a task, or fails to ask in time: another one may start then. */
  constructor(store: Store, onChange: () => void) {
    this.#store = store;
    this.#onChange = onChange;
  }

  /** Called when the task of an executor has ended: it is about to ask for the next one. */
  expect(executor: Executor): void {
    this.#agentOf(executor);
  }

  /** Lets an executor wait for up to the given time. */
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

  /** Responds to an executor that there will be no task for it. */
  dismiss({ executorId }: ReadyAgent): void {
    this.forget(executorId);
  }

  /** Gives an executor its next task. */
  give(agent: ReadyAgent, lease: LeaseRow): void {
    this.#agents.delete(agent.executorId);
    agent.answer(lease);
  }

  /** Responds to every executor that there will be no task for it. */
  dismissAll(): void {
    for (const executorId of [...this.#agents.keys()]) this.forget(executorId);
  }

  /** True if an executor still waits. */
  has(agent: ReadyAgent): boolean {
    return agent.isWaiting && this.#agents.get(agent.executorId) === agent;
  }

  /** True if the executor of a task waits for the next one, or is about to. */
  isReady(taskId: string): boolean {
    return [...this.#agents.values()].some((agent) => agent.taskId === taskId);
  }

  /** Returns the agents that wait for a task. */
  waiting(): ReadyAgent[] {
    return [...this.#agents.values()].filter(({ isWaiting }) => isWaiting);
  }

  /** The sessions whose next task is for a ready agent. */
  sessions(): string[] {
    return [...this.#agents.values()].map(({ sessionId }) => sessionId);
  }

  /** Returns the agent that has waited longest. */
  oldest(): ReadyAgent | undefined {
    return this.waiting().toSorted((a, b) => a.since - b.since)[0];
  }

  /**
   * Returns the next task of an agent's session, `another` if this agent cannot run it, or undefined if there is none.
   */
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

/** True if a ready agent can run the task. A sandbox shows only the attachments of the task it was created for. */
function isServed(last: TaskRow, waiting: TaskRow): boolean {
  return waiting.attachments === '[]' && needs(last) === needs(waiting);
}

/** Returns the start parameters of an agent as a key: an agent can only run tasks with the same key. */
function needs({ backend, model, permission_mode, options, created_by }: TaskRow): string {
  return JSON.stringify([backend, model, permission_mode, options, created_by]);
}
