import type { ExecutorStart } from '@baton/client';
import { type AgentEvent, addUsage, type EventOf } from '@baton/protocol';

type EventBody<Event> = Event extends AgentEvent ? Omit<Event, 'seq' | 'time' | 'runId'> : never;

/**
 * The events of a task, which may take several runs of its agent: it resumes after a pause, or begins anew when the agent
 * has lost its session. To everybody else they are one run, with numbers that go on, one start and one end.
 */
export class TaskEvents {
  #start: ExecutorStart;
  #seq: number;
  #isStarted: boolean;

  constructor(start: ExecutorStart) {
    this.#start = start;
    this.#seq = start.last_seq;
    // Before its agent starts, a task may have reported its workspace and then been queued again.
    this.#isStarted = start.last_seq > 0 && start.continuation !== null;
  }

  /** An event of the agent as an event of the task; nothing for what the task has said before. */
  next(event: AgentEvent): AgentEvent | undefined {
    if (event.type === 'run.started' && this.#isStarted) return undefined;
    this.#isStarted ||= event.type === 'run.started';
    this.#seq += 1;
    return { ...this.#sinceFirstRun(event), seq: this.#seq };
  }

  /** An event that the executor itself has to report. */
  own<Event extends EventBody<AgentEvent>>(event: Event): AgentEvent {
    this.#seq += 1;
    const { task_id: runId } = this.#start.task;
    return { ...event, seq: this.#seq, time: Date.now(), runId } as unknown as AgentEvent;
  }

  /** The id by which the agent knows a request of the log. */
  nativeRequestId(requestId: string): string {
    return requestId.startsWith(this.#prefix) ? requestId.slice(this.#prefix.length) : requestId;
  }

  /** Agents count their requests from the beginning in each process, but a task has each id once. */
  get #prefix(): string {
    return this.#start.last_seq === 0 ? '' : `${this.#start.last_seq}.`;
  }

  #sinceFirstRun(event: AgentEvent): AgentEvent {
    switch (event.type) {
      case 'permission.requested':
      case 'permission.resolved':
      case 'question.requested':
      case 'question.resolved':
        return { ...event, requestId: `${this.#prefix}${event.requestId}` };
      case 'usage.updated':
      case 'run.completed':
        return this.#withEarlierUsage(event);
      default:
        return event;
    }
  }

  #withEarlierUsage<Event extends EventOf<'usage.updated'> | EventOf<'run.completed'>>(
    event: Event,
  ): Event {
    const usage = addUsage(this.#start.task.usage ?? undefined, event.usage);
    return usage ? { ...event, usage } : event;
  }
}
