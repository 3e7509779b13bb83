import { longTimer, type Timeouts } from '@baton/protocol/values';

export type Alarm = 'start' | 'idle' | 'total' | 'quiet';

/** A notice reports a silence of this length even when no limit is set. */
const QUIET_MS = 120_000;

/** Stops a run that is silent for too long or takes too long. */
export class Watchdog {
  #timeouts: Timeouts;
  #ring: (alarm: Alarm) => void;
  #isBusy: () => boolean;
  #lastLife = Date.now();
  #alive = false;
  #quietTold = false;
  #stopped = false;
  #total: NodeJS.Timeout | undefined;
  #beat: NodeJS.Timeout | undefined;

  /** `isBusy` is true while silence is expected: a tool runs, a request is pending, or backpressure is on. */
  constructor(timeouts: Timeouts, isBusy: () => boolean, ring: (alarm: Alarm) => void) {
    this.#timeouts = timeouts;
    this.#isBusy = isBusy;
    this.#ring = ring;
    if (timeouts.totalMs) this.#total = longTimer(() => ring('total'), timeouts.totalMs);
    this.#schedule();
  }

  /** Call for each sign of progress: resets the idle timer. */
  life(): void {
    this.#lastLife = Date.now();
    this.#quietTold = false;
    if (this.#alive) return;
    this.#alive = true;
    this.#schedule();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#total);
    clearTimeout(this.#beat);
  }

  #schedule(): void {
    clearTimeout(this.#beat);
    if (this.#stopped) return;
    const limit = this.#limit();
    const next = limit ? Math.min(limit, QUIET_MS) : QUIET_MS;
    const due = Math.max(this.#lastLife + next - Date.now(), 1);
    this.#beat = setTimeout(() => this.#look(), due);
    this.#beat.unref();
  }

  #limit(): number | undefined {
    return this.#alive ? this.#timeouts.idleMs : this.#timeouts.startMs;
  }

  #look(): void {
    if (this.#isBusy()) this.#lastLife = Date.now();
    const silence = Date.now() - this.#lastLife;
    const limit = this.#limit();
    if (limit && silence >= limit) {
      this.#ring(this.#alive ? 'idle' : 'start');
      return;
    }
    if (silence >= QUIET_MS && !this.#quietTold) {
      this.#quietTold = true;
      this.#ring('quiet');
    }
    this.#beat = setTimeout(() => this.#look(), nextLook(silence, limit, this.#quietTold));
    this.#beat.unref();
  }
}

function nextLook(silence: number, limit: number | undefined, quietTold: boolean): number {
  const untilQuiet = quietTold ? QUIET_MS : QUIET_MS - silence;
  const untilLimit = limit ? limit - silence : untilQuiet;
  return Math.max(Math.min(untilQuiet, untilLimit), 1);
}
