import { isDeepStrictEqual } from 'node:util';
import {
  addUsage,
  BatonError,
  checkRequests,
  DEFAULT_RETRY,
  delay,
  type ErrorInfo,
  errorInfo,
  type OutputSchema,
  type StopReport,
  type StructuredOf,
  type Usage,
  withRetry,
} from '@baton/protocol/values';
import type { AgentRun, Conversation, PromptOptions, RunHooks } from '../definition/backend.ts';
import type { DraftOf, EventDraft, PromptInput, Verdict } from '../definition/dialect.ts';
import type { ResolvedOptions } from '../definition/driver.ts';
import { watchLimits } from '../emulate/limits.ts';
import { withNewSystemPrompt, withSystemPrompt } from '../emulate/system-prompt.ts';
import { judgeEnd } from '../normalize/end-verdict.ts';
import { checkPrompt, checkPromptOptions } from '../options/check-options.ts';
import { readPrices, withEstimatedCost } from '../prices/estimate-cost.ts';
import { raceTimer } from '../time/race-timer.ts';
import { ActiveRun, type StopCause } from './active-run.ts';
import { AgentLink, type LinkEnd } from './agent-link.ts';
import { checkedAnswer } from './checked-answer.ts';
import type { Configuration, ConversationInput, LocatedAgent } from './conversation-input.ts';
import { growthNotice } from './growth-notice.ts';
import { RunClock, seconds } from './run-clock.ts';
import { endOrphans, startNotices } from './start-notices.ts';
import {
  endBySignal,
  endGracefully,
  interruptTurn,
  reportOf,
  type StopInput,
  stopAgent,
} from './stop-link.ts';

/** The options of a prompt that only a restart can change, where the agent itself carries them out. */
const FIXED_AT_START = [
  ['model', 'model'],
  ['permissionMode', 'permissionMode'],
  ['maxTurns', 'maxTurns'],
  ['tools', 'tools.allowed'],
  ['tools', 'tools.disallowed'],
  ['providerOptions', 'providerOptions'],
  ['outputSchema', 'outputSchema'],
] as const;

/** Maximum number of events to keep that an agent emits between prompts. */
const BETWEEN_LIMIT = 1000;
/**
 * Maximum number of restarts of an agent that lost a race with others starting at the same time; the first pause is 200
 * ms.
 */
const START_RACES = 5;
const START_RACE_MS = 100;

/** An agent in a child process, for one prompt after another; the process is reopened when the agent cannot keep it. */
export class AgentConversation implements Conversation {
  #input: ConversationInput;
  #link: AgentLink | undefined;
  #starting: Promise<AgentLink> | undefined;
  #active: ActiveRun | undefined;
  /** The options of the current prompt. */
  #current: Configuration;
  /** The options that the agent's process was started with. */
  #startedWith: ResolvedOptions | undefined;
  /** The model that the agent chose by default. */
  #agentsModel: string | undefined;
  /** The model that a prompt named for itself: the session keeps it until another one is set. */
  #promptsModel: string | undefined;
  #last = false;
  /** Aborted by a second stop request: ends all waiting. */
  #force = new AbortController();
  /** Aborted by the first stop request: nothing new is started. */
  #quit = new AbortController();
  #stopping: Promise<StopReport> | undefined;
  #clock: RunClock | undefined;
  #checkLimits: ((draft: EventDraft) => void) | undefined;
  /** Number of times the agent could not start because others did. */
  #startRaces = 0;
  /** True while the process is being ended because of `giveUp`; then a later verdict of the agent is ignored. */
  #givenUp = false;
  /** True if the agent has sent anything since the last prompt. */
  #heard = false;
  #between: EventDraft[] = [];
  #nativeSessionId: string | undefined;
  /** The model that the agent's process has named. */
  #usedModel: string | undefined;
  /** The agent's last report on its session. */
  #identified: DraftOf<'run.identified'> | undefined;
  #lastEnd: LinkEnd | undefined;
  #prompts = 0;
  #spentUsd = 0;
  #closed: Promise<StopReport> | undefined;
  /** True once this run has reported that its usage omits sub-agents. */
  #hasWarned = false;

  constructor(input: ConversationInput) {
    this.#input = input;
    this.#current = input.opened;
    this.#nativeSessionId = input.opened.options.resume;
  }

  get nativeSessionId(): string | undefined {
    return this.#nativeSessionId;
  }

  run<const Schema extends OutputSchema>(
    prompt: string,
    options: PromptOptions<Record<string, unknown>, Schema> = {},
  ): AgentRun<StructuredOf<Schema>> {
    return this.#run(prompt, options) as AgentRun<StructuredOf<Schema>>;
  }

  /** Runs the only prompt: the agent is ended with it. */
  runLast(prompt: string, runId: string | undefined): AgentRun {
    return this.#run(prompt, { runId }, true);
  }

  #run(prompt: string, options: PromptOptions, last = false): ActiveRun {
    checkPrompt(prompt);
    checkPromptOptions(options);
    checkRequests(options.requests);
    if (this.#closed) throw new BatonError('usage', 'The conversation is closed.');
    if (this.#active) {
      throw new BatonError('usage', 'The conversation is already running a prompt.', {
        hint: 'Await the result of the current run, or steer it.',
      });
    }
    const { runId, onRequest, requests, signal, ...given } = options;
    const hooks = onlyGiven({ onRequest, requests, signal });
    const changes = onlyGiven(given);
    const isChanged = Object.keys(changes).length > 0;
    const current = isChanged ? this.#input.configure(changes) : this.#input.opened;
    this.#checkChanges(current.options);
    this.#current = current;
    const active = this.#begin({ ...this.#input.hooks, ...hooks, runId }, last);
    const isFirst = this.#prompts === 0;
    const images = given.images ?? (isFirst ? this.#input.opened.options.images : undefined);
    const text = isFirst ? this.#withSystemPrompt(prompt) : prompt;
    this.#prompts += 1;
    void this.#drive(active, { text, images: images ?? [] });
    return active;
  }

  /** Refuses options that would need a restart of an agent that cannot resume its session. */
  #checkChanges(options: ResolvedOptions): void {
    const { backend } = this.#input;
    const changed = this.#link ? this.#changedSinceStart(options) : undefined;
    const canResume = backend.capabilities.options.resume.support !== 'unsupported';
    if (changed === undefined || (canResume && this.#nativeSessionId !== undefined)) return;
    throw new BatonError(
      'capability_missing',
      `${backend.label} cannot change ${changed} in a conversation: it cannot resume its session.`,
      { hint: `Set ${changed} in open(), or open another conversation.` },
    );
  }

  /** An option of a prompt that the agent's process does not have. */
  #changedSinceStart(options: ResolvedOptions): string | undefined {
    const before = this.#startedWith;
    const { capabilities } = this.#input.backend;
    if (!before || !this.#input.driver.keepsProcess) return undefined;
    return FIXED_AT_START.find(
      ([key, name]) =>
        capabilities.options[name].support === 'mapped' &&
        !isDeepStrictEqual(withoutPrices(before[key]), withoutPrices(options[key])),
    )?.[0];
  }

  /** Puts the system prompt in front of the first prompt, where the agent can only be given it there. */
  #withSystemPrompt(prompt: string): string {
    const { driver, opened } = this.#input;
    const { emulated, options } = opened;
    if (!options.resume) return withSystemPrompt(emulated.systemPrompt, prompt);
    const lacks = driver.lacksSystemPrompt?.(options);
    if (!lacks || !options.systemPrompt) return prompt;
    return lacks === 'always'
      ? withSystemPrompt(options.systemPrompt, prompt)
      : withNewSystemPrompt(options.systemPrompt, prompt);
  }

  close(): Promise<StopReport> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  #begin(hooks: RunHooks, last: boolean): ActiveRun {
    const { backend, driver } = this.#input;
    const { options, emulated } = this.#current;
    const active: ActiveRun = new ActiveRun({
      runId: hooks.runId ?? newRunId(),
      hooks,
      permissionMode: options.permissionMode,
      cwd: options.cwd,
      protectedPaths: options.protectedPaths,
      control: {
        answer: (requestId, answer) => this.#link?.dialect.answer?.(requestId, answer),
        steer: (text) => this.#steer(text),
        stop: (cause, force) => this.#stop(active, cause, force),
      },
    });
    this.#active = active;
    this.#last = last;
    this.#lastEnd = undefined;
    this.#hasWarned = false;
    this.#force = new AbortController();
    this.#quit = new AbortController();
    this.#stopping = undefined;
    const { reportsEachCall } = driver;
    const limits = { ...emulated, spentUsd: this.#spentUsd, reportsEachCall };
    this.#checkLimits = watchLimits(limits, (cause) => void active.stop(cause));
    this.#clock = new RunClock(active, {
      label: backend.label,
      timeouts: options.timeouts,
      speaksAtOnce: driver.keepsProcess,
    });
    active.onPressure = (held) => this.#press(held);
    return active;
  }

  /** Takes a run from its first event to its last; whatever happens, it ends. */
  async #drive(active: ActiveRun, prompt: PromptInput): Promise<void> {
    const verdict = await this.#announce(active)
      .then((located) => this.#turns(active, prompt, located))
      .catch(failedBy);
    this.#clock?.stop();
    const stop = await active.stopping;
    const mustEnd = this.#last || !this.#input.driver.keepsProcess || !this.#link?.alive();
    const end = mustEnd ? await this.#endLink() : undefined;
    this.#active = undefined;
    this.#spentUsd += (verdict.usage ?? active.recorder.lastUsage)?.costUsd ?? 0;
    if (this.#last) this.#closed ??= Promise.resolve(stop ?? reportOf(end));
    active.finish(verdict, end ?? {}, stop);
  }

  #turns(active: ActiveRun, prompt: PromptInput, located: LocatedAgent): Promise<Verdict> {
    const { options, parse } = this.#current;
    return checkedAnswer(
      active,
      prompt,
      { ...options, parse },
      {
        first: (text) => this.#tries(active, text, located),
        again: (text) => this.#turn(active, text, located),
      },
    );
  }

  /** Retries a prompt after a transient failure, but never once the agent may have acted. */
  #tries(active: ActiveRun, prompt: PromptInput, located: LocatedAgent): Promise<Verdict> {
    const { retry = { attempts: 0 } } = this.#current.options;
    const { attempts = DEFAULT_RETRY.attempts } = retry;
    return withRetry(
      async (attempt) => {
        if (attempt > 0) {
          await this.#endLink();
          active.breakOff();
          active.nextTurn();
          if (this.#prompts === 1) this.#forgetSession();
        }
        return this.#turn(active, prompt, located).catch(failedBy);
      },
      {
        attempts,
        baseMs: retry.baseMs,
        signal: this.#quit.signal,
        isTransient: ({ outcome, error }) =>
          outcome === 'failed' && error?.retryable === true && active.recorder.toolsStarted === 0,
        onRetry: ({ error }, attempt, pauseMs) =>
          active.emit({
            type: 'notice',
            level: 'warning',
            code: 'retry',
            message: `${error?.message ?? 'The run failed.'} Retrying in ${seconds(pauseMs)} (${attempt} of ${attempts}).`,
            data: { attempt, pauseMs, code: error?.code },
          }),
      },
    );
  }

  /** The next attempt starts a new session, unless the caller named the session: that name is taken by now. */
  #forgetSession(): void {
    const { sessionId, resume } = this.#input.opened.options;
    if (this.#nativeSessionId !== sessionId) this.#nativeSessionId = resume;
  }

  /** Finds the agent and begins the stream, also when it is not found. */
  async #announce(active: ActiveRun): Promise<LocatedAgent> {
    const { backend, driver, locate } = this.#input;
    const { options } = this.#current;
    let located: LocatedAgent | undefined;
    try {
      located = locate();
      return located;
    } finally {
      active.recorder.started({
        backend: backend.id,
        version: located?.version,
        transport: driver.transport,
        model: options.model,
        cwd: options.cwd,
      });
      for (const notice of startNotices(this.#input, this.#current.options, located))
        active.emit(notice);
      this.#emitStartFacts(active);
      void endOrphans((draft) => this.#emit(draft));
      for (const draft of this.#between.splice(0)) active.emit(draft);
    }
  }

  /** Emits what the run inherits from the conversation, and notices about what it lacks. */
  #emitStartFacts(active: ActiveRun): void {
    if (this.#identified && this.#link?.alive())
      active.emit({ ...this.#identified, synthetic: true });
    const { emulated, options } = this.#current;
    if (this.#prompts > 1 || !emulated.systemPrompt || !options.resume) return;
    active.emit({
      type: 'notice',
      level: 'warning',
      code: 'option_ignored',
      message: 'The system prompt was ignored: a resumed session keeps its original one.',
    });
  }

  async #turn(active: ActiveRun, prompt: PromptInput, located: LocatedAgent): Promise<Verdict> {
    if (active.cause) return active.cause;
    const before = this.#link;
    const link = await this.#connect(active, prompt, located);
    this.#heard = false;
    if (!active.cause) link.dialect.prompt?.(prompt);
    const verdict = await active.turn;
    if (!this.#input.driver.keepsProcess) await this.#awaitExit(active, link);
    const neverSpoke = link.isOver && !this.#heard && !active.cause;
    if (!neverSpoke) return verdict;
    // Either the process ended while it was idle and never took the prompt, or it did not get that far.
    if (link !== before && !(await this.#mayStartAgain(await link.ended))) return verdict;
    active.nextTurn();
    return this.#turn(active, prompt, located);
  }

  /** An agent for one prompt exits on its own; one that lingers is ended. */
  async #awaitExit(active: ActiveRun, link: AgentLink): Promise<void> {
    const { backend, driver } = this.#input;
    const { graceMs } = driver;
    if (graceMs !== undefined && !(await raceTimer([link.ended], graceMs, this.#force.signal))) {
      const message = `${backend.label} did not exit within ${graceMs} ms after its turn and was killed.`;
      active.emit({ type: 'notice', level: 'info', code: 'status', message });
      await endBySignal(link, driver.stop, this.#force.signal);
    }
    await link.ended;
  }

  /** Waits for others that start at the same time, if that is why the agent left. */
  async #mayStartAgain(end: LinkEnd): Promise<boolean> {
    if (this.#startRaces >= START_RACES || !this.#input.driver.isStartRace?.(end)) return false;
    this.#startRaces += 1;
    return delay(START_RACE_MS * 2 ** this.#startRaces, this.#quit.signal);
  }

  #connect(active: ActiveRun, prompt: PromptInput, located: LocatedAgent): Promise<AgentLink> {
    const last = this.#link;
    const { backend, driver, hooks } = this.#input;
    const isReady = last && !last.isOver && last.alive();
    const limit = { label: backend.label, maxProcesses: hooks.maxProcesses };
    const growth = isReady && last.process ? growthNotice(last.process, limit) : undefined;
    const isOutdated = isReady && this.#changedSinceStart(this.#current.options) !== undefined;
    if (isReady && !growth && !isOutdated) return Promise.resolve(last);
    // From here on its exit no longer ends this turn.
    this.#link = undefined;
    let gone = last?.ended;
    if (last && (growth || isOutdated)) {
      if (growth) active.emit(growth);
      // Its leftovers have been reported already.
      last.stopping = true;
      gone = endGracefully(last, driver.stop, this.#force.signal);
    }
    this.#starting = this.#start(active, prompt, located, gone).finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #start(
    active: ActiveRun,
    prompt: PromptInput,
    located: LocatedAgent,
    before: Promise<LinkEnd> | undefined,
  ): Promise<AgentLink> {
    await before;
    const { backend, driver, hooks } = this.#input;
    checkConfinement(this.#input);
    const model = this.#modelFor(active);
    // An earlier prompt may have brought settings into the folder.
    const current = { ...this.#current.options, model, trust: this.#input.trust() };
    this.#input.check(current);
    const options = await this.#input.withoutForeignKeys(current);
    this.#startedWith = this.#current.options;
    this.#usedModel = undefined;
    const link = await AgentLink.start({
      runId: active.runId,
      driver,
      label: backend.label,
      options,
      file: located.path,
      library: located.library,
      firstArgs: located.args ?? [],
      resume: this.#nativeSessionId,
      fork: options.fork === true && this.#nativeSessionId === options.resume,
      prompt,
      onLaunch: hooks.onLaunch,
      onPrinted: hooks.onPrinted,
      onSent: hooks.onSent,
      confine: hooks.confine,
      signal: this.#quit.signal,
      onLine: () => {
        this.#heard = true;
        this.#clock?.line();
      },
      onEmit: (draft) => this.#emit(draft),
      onComplete: (verdict) => this.#complete(verdict),
      onGiveUp: (error) => this.#giveUp(error),
      onLimit: (error) => void this.#active?.stop({ outcome: 'failed', error }),
      onBackground: (wait) => this.#clock?.background(wait),
    });
    this.#link = link;
    this.#givenUp = false;
    void link.ended.then((end) => this.#ended(link, end));
    return link;
  }

  /** After a prompt with its own model, the next ones use the previous model again. */
  #modelFor(active: ActiveRun): string | undefined {
    const { model } = this.#current.options;
    if (model !== this.#input.opened.options.model) this.#promptsModel = model;
    const isKept = this.#nativeSessionId !== undefined && this.#promptsModel !== undefined;
    if (model !== undefined || !isKept) return model;
    if (this.#agentsModel !== undefined) return this.#agentsModel;
    active.emit({
      type: 'notice',
      level: 'warning',
      code: 'option_ignored',
      message: `The session keeps the model ${this.#promptsModel} of an earlier prompt, because no default model is known.`,
    });
    return undefined;
  }

  #emit(reported: EventDraft): void {
    const draft =
      reported.type === 'usage.updated'
        ? { ...reported, usage: this.#priced(reported.usage) }
        : reported;
    if (draft.type === 'run.identified') {
      this.#usedModel = draft.model ?? this.#usedModel;
      if (this.#startedWith?.model === undefined) this.#agentsModel ??= draft.model;
      this.#identified = draft;
      this.#nativeSessionId = draft.nativeSessionId;
    }
    if (!this.#active) {
      if (this.#between.length < BETWEEN_LIMIT) this.#between.push(draft);
      return;
    }
    this.#clock?.event(draft);
    // Before the event itself: a request of the turn after the last one must be refused.
    if (draft.type === 'permission.requested') this.#checkLimits?.(draft);
    this.#active.emit(draft);
    if (draft.type !== 'permission.requested') this.#checkLimits?.(draft);
    this.#warnOfSubAgents(draft);
  }

  /** Says once per run that its tokens and cost are not all. */
  #warnOfSubAgents(draft: EventDraft): void {
    const { driver, backend } = this.#input;
    const isCall = draft.type === 'tool.started' && draft.action.type === 'subagent';
    if (!isCall || !driver.omitsSubAgents || this.#hasWarned) return;
    this.#hasWarned = true;
    const message = `${backend.label} does not report what its sub-agents consume through ${driver.transport}: the tokens and cost of this run do not include it.`;
    this.#active?.emit({ type: 'notice', level: 'warning', code: 'agent_warning', message });
  }

  /** The usage with an estimated cost, where the agent reports none and the prices are known. */
  #priced(usage: Usage, byModel?: Verdict['usageByModel']): Usage {
    const { model, providerOptions } = this.#current.options;
    const given = readPrices(providerOptions?.prices);
    return withEstimatedCost(usage, { given, model: this.#usedModel ?? model, byModel });
  }

  #pricedVerdict({ usageByModel, ...verdict }: Verdict): Verdict {
    if (!verdict.usage) return verdict;
    return { ...verdict, usage: this.#priced(verdict.usage, usageByModel) };
  }

  #complete(told: Verdict): void {
    const verdict = this.#pricedVerdict(told);
    const active = this.#active;
    if (!active || this.#givenUp) return;
    if (this.#input.driver.keepsProcess) {
      active.spoken = verdict;
      return active.endTurn(verdict);
    }
    // Its process may take more than one turn before it exits.
    active.spoken = { ...verdict, usage: addUsage(active.spoken?.usage, verdict.usage) };
  }

  /** Ends the process of an agent whose dialect gave up; its exit then ends the turn. */
  #giveUp(error: ErrorInfo): void {
    const active = this.#active;
    const link = this.#link;
    if (!active || !link || active.cause || link.stopping) return;
    this.#givenUp = true;
    active.spoken = { outcome: 'failed', error };
    void endBySignal(link, this.#input.driver.stop, this.#force.signal);
  }

  #ended(link: AgentLink, end: LinkEnd): void {
    if (this.#link !== link) return;
    this.#link = undefined;
    this.#lastEnd = end;
    const active = this.#active;
    if (!active) return;
    if (active.spoken) return active.endTurn(active.spoken);
    const verdict = link.dialect.end(end) ?? judgeEnd(end, this.#input.backend.label);
    active.endTurn(this.#pricedVerdict(verdict));
  }

  #steer(text: string): void {
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

  /** Applies backpressure from a slow consumer, but never while the agent is being stopped. */
  #press(held: boolean): void {
    if (held && !this.#stopping) this.#link?.pause();
    else this.#link?.resume();
  }

  #stop(active: ActiveRun, cause: StopCause, force: boolean): Promise<StopReport> {
    if (active.recorder.ended) return this.#stopping ?? Promise.resolve(reportOf(undefined));
    if (force) this.#force.abort();
    this.#stopping ??= this.#stopNow(active, cause);
    return this.#stopping;
  }

  async #stopNow(active: ActiveRun, cause: StopCause): Promise<StopReport> {
    const stopped: Verdict = { outcome: cause.outcome, error: cause.error };
    const requestedAt = Date.now();
    this.#quit.abort();
    await this.#starting?.catch(() => {});
    const link = this.#link;
    active.refuseAll();
    if (!link || link.isOver) {
      active.endTurn(stopped);
      return reportOf(undefined, requestedAt);
    }
    link.resume();
    const { driver } = this.#input;
    const input: StopInput = {
      link,
      times: driver.stop,
      turn: active.turn,
      firstToolAt: () => active.recorder.firstToolAt,
      force: this.#force.signal,
    };
    const mayStay = driver.keepsProcess && !this.#last;
    const report = (mayStay ? await interruptTurn(input) : undefined) ?? (await stopAgent(input));
    active.endTurn({ ...active.spoken, ...stopped });
    return { ...report, requestedAt };
  }

  async #endLink(): Promise<LinkEnd | undefined> {
    if (!this.#link) return this.#lastEnd;
    return endGracefully(this.#link, this.#input.driver.stop, this.#force.signal);
  }

  async #close(): Promise<StopReport> {
    await this.#active?.stop({
      outcome: 'cancelled',
      error: errorInfo('interrupted', 'The conversation was closed.'),
    });
    return reportOf(await this.#endLink());
  }
}

/** The properties that have a value: one without it is as good as none. */
function onlyGiven<Options extends object>(options: Options): Partial<Options> {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Partial<Options>;
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

/** The prices of a run are not the agent's business. */
function withoutPrices(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('prices' in value)) return value;
  const { prices: _prices, ...rest } = value;
  return Object.keys(rest).length > 0 ? rest : undefined;
}

function failedBy(error: unknown): Verdict {
  if (BatonError.is(error)) return { outcome: 'failed', error: error.toJSON() };
  const message = error instanceof Error ? error.message : String(error);
  return { outcome: 'failed', error: errorInfo('internal', message) };
}

/** The global `crypto` needs no import of node:crypto, which takes 4 ms at each start. */
function newRunId(): string {
  const random = crypto.randomUUID().replaceAll('-', '').slice(-16);
  return `run_${Date.now().toString(36)}_${random}`;
}
