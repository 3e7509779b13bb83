import { type AgentEvent, type ErrorInfo, errorInfo } from '@baton/protocol';

/** Counts what was denied: requests of the agent, and tools that the agent itself did not use for want of a yes. */
export class Denials {
  #callOf = new Map<string, string>();
  #denied = new Set<string>();

  see(event: AgentEvent): void {
    if (event.type === 'permission.requested' && event.callId !== undefined) {
      this.#callOf.set(event.requestId, event.callId);
    }
    if (event.type === 'tool.completed' && event.outcome === 'denied') {
      this.#denied.add(event.callId);
    }
    // What a stop refuses would have been asked for in vain anyway.
    if (event.type !== 'permission.resolved' || event.by === 'stop') return;
    // The tool of a denied request says so too.
    const call = this.#callOf.get(event.requestId) ?? event.requestId;
    if (event.decision === 'deny') this.#denied.add(call);
  }

  get count(): number {
    return this.#denied.size;
  }
}

/** What a person who was not there must be told. */
export function deniedForNobody(count: number): ErrorInfo {
  const requests = count === 1 ? '1 request was' : `${count} requests were`;
  return errorInfo('permission_denied', `${requests} denied because nobody was there to ask.`, {
    hint: 'Allow more beforehand with --permission-mode auto or allow-all, or run it at a terminal, where you are asked.',
  });
}
