import type { EventDraft } from '../definition/dialect.ts';
import { type Limits, watchLimits } from '../emulate/limits.ts';
import type { ActiveRun } from './active-run.ts';
import type { Configuration, ConversationInput } from './conversation-input.ts';
import { RunClock } from './run-clock.ts';

type MonitorInput = Pick<ConversationInput, 'backend' | 'driver'> & {
  run: ActiveRun;
  configuration: Configuration;
  /** Part of the budget that was spent before this run. */
  spentUsd: number;
};

/** Passes the agent's events to one run and stops the run at its timeouts and limits. */
export class RunMonitor {
  readonly clock: RunClock;
  #input: MonitorInput;
  #checkLimits: (draft: EventDraft) => void;
  /** True once the run has reported that its usage omits sub-agents. */
  #hasWarned = false;

  constructor(input: MonitorInput) {
    const { backend, driver, run, configuration, spentUsd } = input;
    const { emulated, options } = configuration;
    const { reportsEachCall } = driver;
    const limits: Limits = { ...emulated, spentUsd, reportsEachCall };
    this.#input = input;
    this.#checkLimits = watchLimits(limits, (cause) => void run.stop(cause));
    this.clock = new RunClock(run, {
      label: backend.label,
      timeouts: options.timeouts,
      speaksAtOnce: driver.keepsProcess,
    });
  }

  emit(draft: EventDraft): void {
    this.clock.event(draft);
    // Before the event itself: a request of the turn after the last one must be refused.
    if (draft.type === 'permission.requested') this.#checkLimits(draft);
    this.#input.run.emit(draft);
    if (draft.type !== 'permission.requested') this.#checkLimits(draft);
    this.#warnOfSubAgents(draft);
  }

  /** Says once per run that its tokens and cost are not all. */
  #warnOfSubAgents(draft: EventDraft): void {
    const { backend, driver, run } = this.#input;
    const isCall = draft.type === 'tool.started' && draft.action.type === 'subagent';
    if (!isCall || !driver.omitsSubAgents || this.#hasWarned) return;
    this.#hasWarned = true;
    const message = `${backend.label} does not report what its sub-agents consume through ${driver.transport}: the tokens and cost of this run do not include it.`;
    run.emit({ type: 'notice', level: 'warning', code: 'agent_warning', message });
  }
}
