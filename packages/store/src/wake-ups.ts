import { EventEmitter } from 'node:events';
import type { LogEvent } from '@baton/protocol';

/** Says that a session has reached a cursor; the events are there when this daemon wrote them itself. */
export type SessionMoved = {
  sessionId: string;
  cursor: number;
  events?: readonly LogEvent[];
  /** How many they have as JSON. */
  characters?: number;
};

type Wakes = {
  /** A session has new events. */
  session: [SessionMoved];
  /** Something may have been missed: look again at everything. */
  all: [];
};

/** Tells who waits that there is something new. */
export class WakeUps extends EventEmitter<Wakes> {
  #origin: string;

  constructor(origin: string) {
    super();
    this.setMaxListeners(0);
    this.#origin = origin;
  }

  /** What other daemons are told. */
  announcement(sessionId: string, cursor: number): string {
    return JSON.stringify([this.#origin, sessionId, cursor]);
  }

  /** Takes what another daemon told; one's own words come back too, and an empty message means that some got lost. */
  hear(message: string): void {
    if (message === '') {
      this.emit('all');
      return;
    }
    const [origin, sessionId, cursor] = JSON.parse(message) as [string, string, number];
    if (origin !== this.#origin) this.emit('session', { sessionId, cursor });
  }
}
