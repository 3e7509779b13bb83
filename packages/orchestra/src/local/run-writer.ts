import type { AgentEvent, RequestAnswer } from '@baton/protocol';
import { appendRun, type Claim, type Store } from '@baton/store';

/** Maximum number of unwritten events; beyond it, the agent waits for the store. */
const MAX_WAITING = 1000;

/** Stores the events of a run in batches: events that arrive while the store is busy are written together. */
export class RunWriter {
  #store: Store;
  #claim: Claim;
  #waiting: AgentEvent[] = [];
  #writing: Promise<void> | undefined;
  #failure: unknown;

  constructor(store: Store, claim: Claim) {
    this.#store = store;
    this.#claim = claim;
  }

  /** Queues an event. Rejects if an earlier one could not be stored. */
  async write(event: AgentEvent): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#waiting.push(event);
    this.#writing ??= this.#drain();
    if (this.#waiting.length > MAX_WAITING) await this.#writing;
  }

  /** Settles when everything is stored. */
  async flush(): Promise<void> {
    await this.#writing;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Stores the answer to a request of the run. */
  async answer(requestId: string, answer: RequestAnswer): Promise<void> {
    await this.flush();
    const { task_id: taskId, session_id: sessionId } = this.#claim.task;
    await this.#store.log.append(sessionId, () => ({
      drafts: [{ type: 'answer.given', taskId, requestId, answer }],
      result: undefined,
    }));
  }

  async #drain(): Promise<void> {
    const { task, lease } = this.#claim;
    try {
      while (this.#waiting.length > 0) {
        const events = this.#waiting.splice(0);
        const { task_id: taskId, session_id: sessionId } = task;
        await appendRun(this.#store.log, { sessionId, taskId, fence: lease.fence, events });
      }
    } catch (error) {
      this.#failure = error;
    } finally {
      this.#writing = undefined;
    }
  }
}
