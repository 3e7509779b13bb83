import { errorInfo, longTimer, type Timeouts } from '@baton/protocol/values';
import type { BackgroundWait, EventDraft } from '../definition/dialect.ts';
import type { ActiveRun } from './active-run.ts';
import { type Alarm, Watchdog } from './watchdog.ts';

/** The limits of a run whose caller sets none; 0 turns one off. */
const DEFAULT_TIMEOUTS = {
  /** Only for agents that report their start; others are silent until their answer. */
  startMs: 120_000,
  /** Models may think for minutes without output. */
  idleMs: 900_000,
  consumerMs: 600_000,
};

type ClockInput = {
  /** Display name of the agent. */
  label: string;
  timeouts?: Timeouts | undefined;
  /** True if the agent prints something as soon as it is up. */
  speaksAtOnce: boolean;
};

/** Stops a run that exceeds its timeout, whose agent makes no progress, or whose events are not consumed. */
export class RunClock {
  #run: ActiveRun;
  #label: string;
  #timeouts: Timeouts;
  #watchdog: Watchdog;
  #unread: NodeJS.Timeout | undefined;
  #background: NodeJS.Timeout | undefined;
  #isInBackground = false;
  /** The last retry that the agent reported, until it makes progress. */
  #retry: string | undefined;
  #retriedNow = false;

  constructor(run: ActiveRun, { label, timeouts = {}, speaksAtOnce }: ClockInput) {
    this.#run = run;
    this.#label = label;
    this.#timeouts = {
      startMs: timeouts.startMs ?? (speaksAtOnce ? DEFAULT_TIMEOUTS.startMs : undefined),
      idleMs: timeouts.idleMs ?? DEFAULT_TIMEOUTS.idleMs,
      totalMs: timeouts.totalMs,
      consumerMs: timeouts.consumerMs ?? DEFAULT_TIMEOUTS.consumerMs,
    };
    run.onStalled = (isStalled) => this.#stalled(isStalled);
    const { recorder, queue } = run;
    const isBusy = () =>
      recorder.openTools > 0 || recorder.openRequests > 0 || queue.held || this.#isInBackground;
    this.#watchdog = new Watchdog(this.#timeouts, isBusy, (alarm) => this.#ring(alarm));
  }

  /** An event of the agent, before the line that told it is reported. */
  event(draft: EventDraft): void {
    if (draft.type !== 'notice' || draft.code !== 'retry') return;
    this.#retriedNow = true;
    this.#retry = draft.message;
  }

  /** Call for each event of the agent. A retry is no progress. */
  line(): void {
    const isProgress = !this.#retriedNow;
    this.#retriedNow = false;
    if (!isProgress) return;
    this.#retry = undefined;
    this.#watchdog.life();
  }

  /** Call when the agent starts or stops working in the background alone. */
  background(wait: BackgroundWait | undefined): void {
    clearTimeout(this.#background);
    this.#isInBackground = wait !== undefined;
    if (wait?.limitMs) this.#background = longTimer(wait.onLimit, wait.limitMs);
  }

  stop(): void {
    this.#watchdog.stop();
    clearTimeout(this.#background);
    clearTimeout(this.#unread);
  }

  /** Call when backpressure starts or ends. */
  #stalled(isStalled: boolean): void {
    clearTimeout(this.#unread);
    const limit = this.#timeouts.consumerMs;
    if (!isStalled || !limit) return;
    this.#unread = longTimer(() => {
      const message = `The events of the run were not consumed for ${seconds(limit)}.`;
      void this.#run.stop({ outcome: 'failed', error: errorInfo('consumer_stalled', message) });
    }, limit);
  }

  #ring(alarm: Alarm): void {
    if (alarm === 'quiet') {
      const message = 'No output from the agent for 2 minutes.';
      return this.#run.emit({ type: 'notice', level: 'info', code: 'quiet', message });
    }
    void this.#run.stop({ outcome: 'timed_out', error: this.#error(alarm) });
  }

  #error(alarm: Exclude<Alarm, 'quiet'>) {
    const { startMs, idleMs, totalMs } = this.#timeouts;
    if (alarm === 'total') {
      return errorInfo('timed_out', `The run took longer than ${seconds(totalMs)}.`);
    }
    if (this.#retry !== undefined) {
      const message = `${this.#label} made no progress for ${seconds(idleMs)}. It was retrying: ${this.#retry}`;
      return errorInfo('stalled', message);
    }
    const silence = alarm === 'start' ? `within ${seconds(startMs)}` : `for ${seconds(idleMs)}`;
    return errorInfo('stalled', `${this.#label} produced no output ${silence}.`);
  }
}

/** A time in seconds, as messages say it. */
export function seconds(milliseconds: number | undefined): string {
  return `${(milliseconds ?? 0) / 1000} s`;
}
