import { BatonError, delay } from '@baton/protocol/values';
import type { PromptInput } from '../definition/dialect.ts';
import type { ResolvedOptions } from '../definition/driver.ts';
import type { ActiveRun } from './active-run.ts';
import { AgentLink, type LinkEnd } from './agent-link.ts';
import { changedOption } from './changed-option.ts';
import type { ConversationInput, LocatedAgent } from './conversation-input.ts';
import { growthNotice } from './growth-notice.ts';
import type { LinkInput } from './link-input.ts';
import type { SessionFacts } from './session-facts.ts';
import { endBySignal, endGracefully } from './stop-link.ts';

/**
 * Maximum number of restarts of an agent that lost a race with others starting at the same time; the first pause is 200
 * ms.
 */
const START_RACES = 5;
const START_RACE_MS = 100;

/** Receives the reports of the agent, for as long as one of its processes runs. */
type AgentListener = Pick<
  LinkInput,
  'onLine' | 'onEmit' | 'onComplete' | 'onGiveUp' | 'onLimit' | 'onBackground'
> & {
  /** Called when the agent has exited, unless it was replaced. */
  onEnd(link: AgentLink, end: LinkEnd): void;
};

/** The prompt that needs the agent. */
type ConnectRequest = {
  run: ActiveRun;
  options: ResolvedOptions;
  prompt: PromptInput;
  located: LocatedAgent;
  /** Aborted when the run is stopped before the agent is there. */
  quit: AbortSignal;
  /** Aborting it ends all waiting. */
  force: AbortSignal;
};

/** Keeps the link to the agent from prompt to prompt, and opens another one when it cannot be used any more. */
export class LinkKeeper {
  #input: ConversationInput;
  #session: SessionFacts;
  #listener: AgentListener;
  #link: AgentLink | undefined;
  #starting: Promise<AgentLink> | undefined;
  /** The options that the agent's process was started with. */
  #startedWith: ResolvedOptions | undefined;
  /** True while the process is being ended because its dialect gave up; a later verdict of the agent is ignored. */
  #isGivenUp = false;
  /** Number of times the agent could not start because others did. */
  #startRaces = 0;

  constructor(input: ConversationInput, session: SessionFacts, listener: AgentListener) {
    this.#input = input;
    this.#session = session;
    this.#listener = listener;
  }

  get link(): AgentLink | undefined {
    return this.#link;
  }

  /** Settles when the link that is being opened is there, or cannot be opened. */
  get starting(): Promise<AgentLink> | undefined {
    return this.#starting;
  }

  /** Returns the name of an option that the running agent does not have and only a restart can give it. */
  changedOption(options: ResolvedOptions): string | undefined {
    const { backend, driver } = this.#input;
    if (!this.#link || !this.#startedWith || !driver.keepsProcess) return undefined;
    return changedOption(backend.capabilities, this.#startedWith, options);
  }

  /** Returns the link to an agent that can take the prompt: the one that is there, or a new one. */
  connect(request: ConnectRequest): Promise<AgentLink> {
    const last = this.#link;
    const { backend, driver, hooks } = this.#input;
    const isReady = last && !last.isOver && last.alive();
    const limit = { label: backend.label, maxProcesses: hooks.maxProcesses };
    const growth = isReady && last.process ? growthNotice(last.process, limit) : undefined;
    const isOutdated = isReady && this.changedOption(request.options) !== undefined;
    if (isReady && !growth && !isOutdated) return Promise.resolve(last);
    // From here on its exit no longer ends this turn.
    this.#link = undefined;
    let gone = last?.ended;
    if (last && (growth || isOutdated)) {
      if (growth) request.run.emit(growth);
      // Its leftovers have been reported already.
      last.stopping = true;
      gone = endGracefully(last, driver.stop, request.force);
    }
    this.#starting = this.#start(request, gone).finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #start(
    { run, options: wanted, prompt, located, quit }: ConnectRequest,
    before: Promise<LinkEnd> | undefined,
  ): Promise<AgentLink> {
    await before;
    const { backend, driver, hooks } = this.#input;
    checkConfinement(this.#input);
    const model = this.#session.modelToStart((draft) => run.emit(draft));
    // An earlier prompt may have brought settings into the folder.
    const current = { ...wanted, model, trust: this.#input.trust() };
    this.#input.check(current);
    const options = await this.#input.withoutForeignKeys(current);
    this.#startedWith = wanted;
    this.#session.beginProcess();
    const resume = this.#session.nativeSessionId;
    const link = await AgentLink.start({
      ...this.#listener,
      runId: run.runId,
      driver,
      label: backend.label,
      options,
      file: located.path,
      library: located.library,
      firstArgs: located.args ?? [],
      resume,
      fork: options.fork === true && resume === options.resume,
      prompt,
      onLaunch: hooks.onLaunch,
      onPrinted: hooks.onPrinted,
      onSent: hooks.onSent,
      confine: hooks.confine,
      ready: hooks.ready,
      signal: quit,
      onComplete: (verdict) => {
        if (!this.#isGivenUp) this.#listener.onComplete(verdict);
      },
    });
    this.#link = link;
    this.#isGivenUp = false;
    void link.ended.then((end) => this.#ended(link, end));
    return link;
  }

  #ended(link: AgentLink, end: LinkEnd): void {
    if (this.#link !== link) return;
    this.#link = undefined;
    this.#listener.onEnd(link, end);
  }

  /** Waits for others that start at the same time, if that is why the agent left; false if it was not. */
  async mayStartAgain(end: LinkEnd, quit: AbortSignal): Promise<boolean> {
    if (this.#startRaces >= START_RACES || !this.#input.driver.isStartRace?.(end)) return false;
    this.#startRaces += 1;
    return delay(START_RACE_MS * 2 ** this.#startRaces, quit);
  }

  steer(text: string): void {
    const dialect = this.#link?.dialect;
    if (!dialect) {
      throw new BatonError('usage', 'The agent is still starting and cannot be steered yet.', {
        hint: 'Steer it after its first output.',
      });
    }
    if (!dialect.steer) {
      throw new BatonError(
        'capability_missing',
        `${this.#input.backend.label} does not support steering.`,
        {
          hint: 'Wait for the run to end and send another prompt.',
        },
      );
    }
    dialect.steer(text);
  }

  /** Ends the process of an agent whose dialect gave up; its exit then ends the turn. */
  giveUp(link: AgentLink, force: AbortSignal): void {
    this.#isGivenUp = true;
    void endBySignal(link, this.#input.driver.stop, force);
  }
}

/** An agent that runs elsewhere cannot be isolated. */
function checkConfinement({ backend, driver, hooks }: ConversationInput): void {
  if (!hooks.confine || driver.launch) return;
  throw new BatonError(
    'capability_missing',
    `${backend.label} runs in a process that Baton does not start, so it cannot be isolated.`,
    { hint: 'Turn off isolation for this agent, or use another agent.' },
  );
}
