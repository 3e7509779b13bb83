import type { AgentEvent, EventOf } from '@baton/protocol';

/** How long tools took, without the time in which a person was asked about them. */
export class ToolTimes {
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
      this.#waited.set(asked.callId, this.waited(asked.callId) + event.time - asked.since);
    }
  }

  /** How long a tool has waited for a person. */
  waited(callId: string): number {
    return this.#waited.get(callId) ?? 0;
  }

  /** How long a tool has worked. */
  of({ callId, durationMs = 0 }: EventOf<'tool.completed'>): number {
    return Math.max(durationMs - this.waited(callId), 0);
  }
}
