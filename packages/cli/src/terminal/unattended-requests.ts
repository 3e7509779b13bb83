import type { AgentEvent } from '@baton/protocol';

/** A rule or a policy settles a request in less time than this: only what waits longer waits for a person. */
const CHANCE_MS = 1000;

/** Reports the requests of a run that are not asked here, once it is clear that they wait for another user. */
export class UnattendedRequests {
  #announce: (requestId: string) => void;
  #waiting = new Map<string, NodeJS.Timeout>();

  constructor(announce: (requestId: string) => void) {
    this.#announce = announce;
  }

  /** Takes a request of the agent, or the news that one is settled. */
  see(event: AgentEvent): void {
    if (event.type === 'permission.requested' || event.type === 'question.requested') {
      const { requestId } = event;
      this.#forget(requestId);
      this.#waiting.set(
        requestId,
        setTimeout(() => this.#announce(requestId), CHANCE_MS),
      );
    }
    if (event.type === 'permission.resolved' || event.type === 'question.resolved') {
      this.#forget(event.requestId);
    }
  }

  /** The run is over: nothing is pending. */
  end(): void {
    for (const requestId of [...this.#waiting.keys()]) this.#forget(requestId);
  }

  #forget(requestId: string): void {
    clearTimeout(this.#waiting.get(requestId));
    this.#waiting.delete(requestId);
  }
}
