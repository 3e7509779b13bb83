import { type Json, object, string } from '../../normalize/json.ts';

/** Where an event belongs: to a turn, and below the tool call that started the sub-agent. */
export type Place = {
  threadId: string;
  turnId?: string | undefined;
  parentId?: string | undefined;
};

/** The part of a place that events carry. */
export function placed({ turnId, parentId }: Place): Pick<Place, 'turnId' | 'parentId'> {
  return { turnId, parentId };
}

/** The threads that speak through one app server: the one of the run, and those of its sub-agents. */
export class Threads {
  /** The thread of the run itself. */
  main: string | undefined;
  #parents = new Map<string, string>();
  #openCall: () => string | undefined;

  /** `openCall` gives the sub-agent call that is going on, for threads that speak before their call names them. */
  constructor(openCall: () => string | undefined) {
    this.#openCall = openCall;
  }

  /** Whether a notification is about the run itself; the first thread to speak is the run's. */
  isMain(params: Json): boolean {
    const threadId = string(params.threadId);
    this.main ??= threadId;
    return threadId === undefined || threadId === this.main;
  }

  /** A tool call has started these sub-agents. */
  adopt(callId: string, threadIds: readonly unknown[]): void {
    for (const threadId of threadIds) {
      if (typeof threadId === 'string') this.#parents.set(threadId, callId);
    }
  }

  /** Where what a notification or request tells belongs. */
  place(params: Json): Place {
    const threadId = string(params.threadId) ?? '';
    const turnId = string(params.turnId) ?? string(object(params.turn).id);
    const isSubagent = threadId !== '' && this.main !== undefined && threadId !== this.main;
    return { threadId, turnId, parentId: isSubagent ? this.#parentOf(threadId) : undefined };
  }

  #parentOf(threadId: string): string {
    const parent = this.#parents.get(threadId) ?? this.#openCall() ?? threadId;
    this.#parents.set(threadId, parent);
    return parent;
  }
}
