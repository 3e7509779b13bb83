import type { StopReport } from '@baton/protocol/values';
import type { Verdict } from '../definition/dialect.ts';
import type { AnyDriver } from '../definition/driver.ts';
import type { ActiveRun, StopCause } from './active-run.ts';
import type { LinkKeeper } from './link-keeper.ts';
import { interruptTurn, reportOf, type StopInput, stopAgent } from './stop-link.ts';

type StopControlInput = {
  keeper: LinkKeeper;
  driver: AnyDriver;
  /** True if the agent's process may outlive the run. */
  keepsProcess: boolean;
};

/** Stops one run: the first request ends the agent's turn, a second one ends all waiting for that. */
export class StopControl {
  #input: StopControlInput;
  #quit = new AbortController();
  #force = new AbortController();
  #report: Promise<StopReport> | undefined;

  constructor(input: StopControlInput) {
    this.#input = input;
  }

  /** Aborted by the first stop request: nothing new is started. */
  get quit(): AbortSignal {
    return this.#quit.signal;
  }

  /** Aborted by a second stop request: ends all waiting. */
  get force(): AbortSignal {
    return this.#force.signal;
  }

  get isRequested(): boolean {
    return this.#report !== undefined;
  }

  stop(run: ActiveRun, cause: StopCause, force: boolean): Promise<StopReport> {
    if (run.recorder.ended) return this.#report ?? Promise.resolve(reportOf(undefined));
    if (force) this.#force.abort();
    this.#report ??= this.#stopNow(run, cause);
    return this.#report;
  }

  async #stopNow(run: ActiveRun, cause: StopCause): Promise<StopReport> {
    const { keeper, driver, keepsProcess } = this.#input;
    const stopped: Verdict = { outcome: cause.outcome, error: cause.error };
    const requestedAt = Date.now();
    this.#quit.abort();
    await keeper.starting?.catch(() => {});
    const { link } = keeper;
    run.refuseAll();
    if (!link || link.isOver) {
      run.endTurn(stopped);
      return reportOf(undefined, requestedAt);
    }
    link.resume();
    const input: StopInput = {
      link,
      times: driver.stop,
      turn: run.turn,
      firstToolAt: () => run.recorder.firstToolAt,
      force: this.force,
    };
    const report =
      (keepsProcess ? await interruptTurn(input) : undefined) ?? (await stopAgent(input));
    run.endTurn({ ...run.spoken, ...stopped });
    return { ...report, requestedAt };
  }
}
