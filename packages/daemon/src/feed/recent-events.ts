import type { LogEvent } from '@baton/protocol';
import { weightOf } from './weight.ts';

const MOST_SESSIONS = 200;
const MOST_EVENTS = 2000;
/** In characters, for one session and for all of them. */
const MOST_PER_SESSION = 1_000_000;
const MOST_IN_ALL = 50_000_000;

/** The last events of one session, with their weights. */
type Tail = { events: LogEvent[]; weights: number[]; weight: number };

/** The last events of the sessions that move, so that whoever follows closely needs no database. */
export class RecentEvents {
  #tails = new Map<string, Tail>();
  #weight = 0;

  /** Takes new events of a session; they are kept if they follow on those it has, or instead of them. */
  add(sessionId: string, events: readonly LogEvent[]): void {
    const [first] = events;
    if (!first) return;
    const known = this.#tails.get(sessionId);
    const last = known?.events.at(-1)?.cursor ?? 0;
    this.forget(sessionId);
    // Two who wrote at once may be heard in the wrong order: then only the log knows better.
    if (last >= first.cursor) return;
    this.#keep(sessionId, extended(last + 1 === first.cursor ? known : undefined, events));
  }

  /** Somebody else has written to the session. */
  forget(sessionId: string): void {
    this.#weight -= this.#tails.get(sessionId)?.weight ?? 0;
    this.#tails.delete(sessionId);
  }

  forgetAll(): void {
    this.#tails.clear();
    this.#weight = 0;
  }

  /** The events behind a cursor; nothing when they do not reach back that far. */
  after(sessionId: string, cursor: number, limit: number): LogEvent[] | undefined {
    const events = this.#tails.get(sessionId)?.events;
    const first = events?.[0]?.cursor;
    if (!events || first === undefined || first > cursor + 1) return undefined;
    const start = cursor + 1 - first;
    return events.slice(start, start + limit);
  }

  /** The session that moved last is the last to go. */
  #keep(sessionId: string, tail: Tail): void {
    if (tail.events.length === 0) return;
    this.#tails.set(sessionId, tail);
    this.#weight += tail.weight;
    while (this.#tails.size > MOST_SESSIONS || this.#weight > MOST_IN_ALL) {
      const [oldest = sessionId] = this.#tails.keys();
      this.forget(oldest);
    }
  }
}

function extended(tail: Tail | undefined, added: readonly LogEvent[]): Tail {
  const weights = added.map(weightOf);
  const events = tail ? tail.events.concat(added) : [...added];
  const all = tail ? tail.weights.concat(weights) : weights;
  const weight = weights.reduce((sum, each) => sum + each, tail?.weight ?? 0);
  const isTooMuch = events.length > 2 * MOST_EVENTS || weight > 2 * MOST_PER_SESSION;
  // Cut seldom and by much: what is cut off has to be copied.
  return isTooMuch ? shortened({ events, weights: all, weight }) : { events, weights: all, weight };
}

function shortened({ events, weights }: Tail): Tail {
  let from = events.length;
  let weight = 0;
  while (from > 0 && events.length - from < MOST_EVENTS) {
    const next = weight + (weights[from - 1] ?? 0);
    if (next > MOST_PER_SESSION) break;
    weight = next;
    from -= 1;
  }
  return { events: events.slice(from), weights: weights.slice(from), weight };
}
