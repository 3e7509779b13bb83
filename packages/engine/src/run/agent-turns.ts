import { raceTimer } from '@baton/process/time/race-timer';
import { addUsage, type ErrorInfo } from '@baton/protocol/values';
import type { PromptInput, Verdict } from '../definition/dialect.ts';
import type { ResolvedOptions } from '../definition/driver.ts';
import { judgeEnd } from '../normalize/end-verdict.ts';
import type { ActiveRun } from './active-run.ts';
import type { AgentLink, LinkEnd } from './agent-link.ts';
import type { ConversationInput, LocatedAgent } from './conversation-input.ts';
import type { LinkKeeper } from './link-keeper.ts';
import type { SessionFacts } from './session-facts.ts';
import type { StopControl } from './stop-control.ts';
import { endBySignal, endGracefully } from './stop-link.ts';
import { untilReady } from './until-ready.ts';

type TurnsInput = Pick<ConversationInput, 'backend' | 'driver' | 'hooks'> & {
  run: ActiveRun;
  keeper: LinkKeeper;
  session: SessionFacts;
  options: ResolvedOptions;
  stop: StopControl;
};

/** Runs the agent's turns of one run: sends a prompt, and ends the turn with the agent's verdict or its exit. */
export class AgentTurns {
  #input: TurnsInput;
  /** True if the agent has sent anything since the last prompt. */
  #isHeard = false;
  /** The end of the last process that exited since the run began. */
  #lastEnd: LinkEnd | undefined;

  constructor(input: TurnsInput) {
    this.#input = input;
  }

  /** Sends a prompt and waits for the end of the turn; restarts an agent that never took the prompt. */
  async ask(prompt: PromptInput, located: LocatedAgent): Promise<Verdict> {
    const { driver, hooks, run, keeper, options, stop } = this.#input;
    const { quit, force } = stop;
    if (run.cause) return run.cause;
    const before = keeper.link;
    const link = await keeper.connect({ run, options, prompt, located, quit, force });
    this.#isHeard = false;
    await untilReady(hooks.ready, quit);
    if (!run.cause) link.dialect.prompt?.(prompt);
    const verdict = await run.turn;
    if (!driver.keepsProcess) await this.#awaitExit(link);
    const neverSpoke = link.isOver && !this.#isHeard && !run.cause;
    if (!neverSpoke) return verdict;
    // Either the process ended while it was idle and never took the prompt, or it did not get that far.
    if (link !== before && !(await keeper.mayStartAgain(await link.ended, quit))) return verdict;
    run.nextTurn();
    return this.ask(prompt, located);
  }

  /** An agent for one prompt exits on its own; one that lingers is ended. */
  async #awaitExit(link: AgentLink): Promise<void> {
    const { backend, driver, run, stop } = this.#input;
    const { graceMs } = driver;
    if (graceMs !== undefined && !(await raceTimer([link.ended], graceMs, stop.force))) {
      const message = `${backend.label} did not exit within ${graceMs} ms after its turn and was killed.`;
      run.emit({ type: 'notice', level: 'info', code: 'status', message });
      await endBySignal(link, driver.stop, stop.force);
    }
    await link.ended;
  }

  /** Ends the agent's process if it runs; returns how the last one ended. */
  async endAgent(): Promise<LinkEnd | undefined> {
    const { driver, keeper, stop } = this.#input;
    if (!keeper.link) return this.#lastEnd;
    return endGracefully(keeper.link, driver.stop, stop.force);
  }

  /** Call for each line of the agent. */
  noteLine(): void {
    this.#isHeard = true;
  }

  /** Takes the agent's verdict on its turn; an agent for one prompt ends the turn only with its exit. */
  complete(told: Verdict): void {
    const { driver, run, session } = this.#input;
    if (run.recorder.ended) return;
    const verdict = session.pricedVerdict(told);
    if (driver.keepsProcess) {
      run.spoken = verdict;
      return run.endTurn(verdict);
    }
    // Its process may take more than one turn before it exits.
    run.spoken = { ...verdict, usage: addUsage(run.spoken?.usage, verdict.usage) };
  }

  /** Ends the process of an agent whose dialect gave up; its exit then ends the turn. */
  giveUp(error: ErrorInfo): void {
    const { run, keeper, stop } = this.#input;
    const { link } = keeper;
    if (run.recorder.ended || !link || run.cause || link.stopping) return;
    run.spoken = { outcome: 'failed', error };
    keeper.giveUp(link, stop.force);
  }

  /** Ends the turn of an agent that has exited. */
  agentEnded(link: AgentLink, end: LinkEnd): void {
    const { backend, run, session } = this.#input;
    this.#lastEnd = end;
    if (run.recorder.ended) return;
    if (run.spoken) return run.endTurn(run.spoken);
    const verdict = link.dialect.end(end) ?? judgeEnd(end, backend.label);
    run.endTurn(session.pricedVerdict(verdict));
  }
}
