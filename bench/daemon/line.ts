import type { AgentEvent } from '@baton/protocol';
import { runEvents } from '../streams/events.ts';

const TICK_MS = 1;
const PATIENCE_MS = 60_000;

/** Sends events into a line, and closes it. */
export type LineEnd = { send(event: AgentEvent): void; close(): void };

/** A path that events take, with the send time and latency of each. */
export class Line {
  #end: LineEnd;
  #events: Generator<AgentEvent, never>;
  #sentAt = new Map<number, number>();
  #took: number[] = [];

  /** The receiver of an event calls `came`. */
  constructor(name: string, end: LineEnd) {
    this.#events = runEvents(name);
    this.#end = end;
  }

  /** True if no event is in flight. */
  get isEmpty(): boolean {
    return this.#sentAt.size === 0;
  }

  send(): void {
    const event = this.#events.next().value;
    this.#sentAt.set(event.seq, performance.now());
    this.#end.send(event);
  }

  came(seq: number): void {
    const sentAt = this.#sentAt.get(seq);
    if (sentAt === undefined) throw new Error(`Event ${seq} came that was not on its way.`);
    this.#sentAt.delete(seq);
    this.#took.push(performance.now() - sentAt);
  }

  close(): void {
    this.#end.close();
  }

  /** Returns the latencies since the last call, in milliseconds. */
  times(): number[] {
    return this.#took.splice(0);
  }
}

/** Sends events over all lines in turn, evenly in time, and returns the latency of each in milliseconds. */
export async function sendEvenly(
  lines: readonly Line[],
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<number[]> {
  const start = performance.now();
  for (let sent = 0; sent < perSecond * seconds; ) {
    const due = ((performance.now() - start) / 1000) * perSecond;
    for (; sent < due; sent += 1) lines[sent % lines.length]?.send();
    await pause(TICK_MS);
  }
  const until = performance.now() + PATIENCE_MS;
  while (!lines.every(({ isEmpty }) => isEmpty)) {
    if (performance.now() > until) throw new Error('Not every event came.');
    await pause(TICK_MS);
  }
  return lines.flatMap((line) => line.times());
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
