import { checkAnswer } from '@baton/engine/run/check-answer';
import type { AgentEvent, PendingRequest, RequestAnswer, WorkspaceEvent } from '@baton/protocol';
import { appendRun, type Claim, type RequestRow, requestKey, type Store } from '@baton/store';

/** Maximum number of unwritten events; beyond it, the agent waits for the store. */
const MAX_WAITING = 1000;

/** Stores the events of a run in batches: events that arrive while the store is busy are written together. */
export class RunWriter {
  #store: Store;
  #claim: Claim;
  /** Number of the last event: those about the workspace come between those of the agent. */
  #seq: number;
  #waiting: AgentEvent[] = [];
  #writing: Promise<void> | undefined;
  #failure: unknown;

  constructor(store: Store, claim: Claim) {
    this.#store = store;
    this.#claim = claim;
    this.#seq = claim.task.last_seq;
  }

  /** Queues an event about the workspace of the run. */
  writeOwn(event: WorkspaceEvent): Promise<void> {
    const { task_id: runId } = this.#claim.task;
    return this.write({ ...event, seq: 0, time: Date.now(), runId } as AgentEvent);
  }

  /** Queues an event. Rejects if an earlier one could not be stored. */
  async write(event: AgentEvent): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#seq += 1;
    this.#waiting.push({ ...event, seq: this.#seq });
    this.#writing ??= this.#drain();
    if (this.#waiting.length > MAX_WAITING) await this.#writing;
  }

  /** Settles when everything is stored. */
  async flush(): Promise<void> {
    await this.#writing;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Stores the answer to a request of the run; false if the request is settled. Rejects an answer that does not fit. */
  async answer(requestId: string, answer: RequestAnswer): Promise<boolean> {
    await this.flush();
    const { task_id: taskId, session_id: sessionId } = this.#claim.task;
    return this.#store.log.append(sessionId, ({ requests }) => {
      const row = requests.get(requestKey(taskId, requestId));
      // The run itself tells an unknown request from a settled one.
      if (!row) return { drafts: [], result: true };
      if (row.status !== 'pending') return { drafts: [], result: false };
      checkAnswer(pendingOf(row), answer);
      return { drafts: [{ type: 'answer.given', taskId, requestId, answer }], result: true };
    });
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

function pendingOf({ kind, request }: RequestRow): PendingRequest {
  return { kind, request: JSON.parse(request) } as PendingRequest;
}
