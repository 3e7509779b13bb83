import { type AgentEvent, type ErrorInfo, errorInfo } from '@baton/protocol/values';

const DENIED_HINT = 'Use --permission-mode auto or allow-all, or run in a terminal to be asked.';

/**
 * Counts denials without a user: requests settled by default, by a rule or by a timeout, and tools that the agent itself
 * denied.
 */
export class Denials {
  #callOf = new Map<string, string>();
  #denied = new Set<string>();
  /** Calls denied by a user or by a stop, which do not count. */
  #meant = new Set<string>();

  see(event: AgentEvent): void {
    if (event.type === 'permission.requested' && event.callId !== undefined) {
      this.#callOf.set(event.requestId, event.callId);
    }
    if (event.type === 'tool.completed' && event.outcome === 'denied') {
      this.#denied.add(event.callId);
    }
    if (event.type !== 'permission.resolved' || event.decision !== 'deny') return;
    // The tool of a denied request says so too.
    const call = this.#callOf.get(event.requestId) ?? event.requestId;
    const isMeant = event.by === 'person' || event.by === 'stop';
    (isMeant ? this.#meant : this.#denied).add(call);
  }

  get count(): number {
    return [...this.#denied].filter((call) => !this.#meant.has(call)).length;
  }
}

/** Returns the error for requests that were denied because no user was there. */
export function deniedForNobody(count: number, hint = DENIED_HINT): ErrorInfo {
  const requests = count === 1 ? '1 request was' : `${count} requests were`;
  return errorInfo('permission_denied', `${requests} denied because no one was there to ask.`, {
    hint,
  });
}
