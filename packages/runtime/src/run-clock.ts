import { errorInfo, type Timeouts } from '@baton/protocol';
import type { ActiveRun } from './active-run.ts';
import { longTimer } from './long-timer.ts';
import { type Alarm, Watchdog } from './watchdog.ts';

/** How long a consumer may leave events unread before the run is ended. */
const CONSUMER_MS = 600_000;

/** Stops a run that takes too long, whose agent falls silent, or whose events nobody reads. */
export class RunClock {
  #run: ActiveRun;
  #label: string;
  #timeouts: Timeouts;
  #watchdog: Watchdog;
  #unread: NodeJS.Timeout | undefined;

  constructor(run: ActiveRun, label: string, timeouts: Timeouts = {}) {
    this.#run = run;
    this.#label = label;
    this.#timeouts = timeouts;
    const { recorder, queue } = run;
    const isBusy = () => recorder.openTools > 0 || recorder.openRequests > 0 || queue.held;
    this.#watchdog = new Watchdog(timeouts, isBusy, (alarm) => this.#ring(alarm));
  }

  /** The agent said something. */
  life(): void {
    this.#watchdog.life();
  }

  /** The events of the run wait unread, or no longer. */
  unread(waiting: boolean): void {
    clearTimeout(this.#unread);
    const limit = this.#timeouts.consumerMs ?? CONSUMER_MS;
    if (!waiting || limit === 0) return;
    this.#unread = longTimer(() => {
      const message = `The events of the run were not read for ${seconds(limit)}.`;
      void this.#run.stop({ outcome: 'failed', error: errorInfo('consumer_stalled', message) });
    }, limit);
  }

  stop(): void {
    this.#watchdog.stop();
    clearTimeout(this.#unread);
  }

  #ring(alarm: Alarm): void {
    if (alarm === 'quiet') {
      const message = 'The agent has been quiet for two minutes.';
      return this.#run.emit({ type: 'notice', level: 'info', code: 'quiet', message });
    }
    void this.#run.stop({ outcome: 'timed_out', error: this.#error(alarm) });
  }

  #error(alarm: Exclude<Alarm, 'quiet'>) {
    const { startMs, idleMs, totalMs } = this.#timeouts;
    if (alarm === 'total') {
      return errorInfo('timed_out', `The run took longer than ${seconds(totalMs)}.`);
    }
    const silence = alarm === 'start' ? `within ${seconds(startMs)}` : `for ${seconds(idleMs)}`;
    return errorInfo('stalled', `${this.#label} gave no sign of life ${silence}.`);
  }
}

/** A time in seconds, as messages say it. */
export function seconds(milliseconds: number | undefined): string {
  return `${(milliseconds ?? 0) / 1000} s`;
}
