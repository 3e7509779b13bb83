import type { AgentEvent } from '@baton/protocol';

/** Times that running tools have waited for an answer. The event of a finished tool excludes that time itself. */
export class WaitingTimes {
  #asked = new Map<string, { callId: string; since: number }>();
  #waited = new Map<string, number>();

  see(event: AgentEvent): void {
    if (event.type === 'permission.requested' || event.type === 'question.requested') {
      if (event.callId === undefined) return;
      this.#asked.set(event.requestId, { callId: event.callId, since: event.time });
    }
    if (event.type === 'permission.resolved' || event.type === 'question.resolved') {
      const asked = this.#asked.get(event.requestId);
      if (!asked) return;
      this.#asked.delete(event.requestId);
      this.#waited.set(asked.callId, this.of(asked.callId) + event.time - asked.since);
    }
  }

  /** Returns the time that a tool has waited for a user. */
  of(callId: string): number {
    return this.#waited.get(callId) ?? 0;
  }
}
