import { addUsage, BatonError, errorInfo, type ImageInput, type StopReport } from '@baton/protocol';
import { ActiveRun, type StopCause } from './active-run.ts';
import { AgentLink, type LinkEnd } from './agent-link.ts';
import type { AgentRun, Conversation, RunHooks } from './backend.ts';
import { checkPrompt } from './check-options.ts';
import type { DraftOf, EventDraft, PromptInput, Verdict } from './dialect.ts';
import type { Driver, ResolvedOptions } from './driver.ts';
import { type Limits, watchLimits } from './emulate/limits.ts';
import { correctivePrompt, schemaCheck } from './emulate/output-schema.ts';
import { withSystemPrompt } from './emulate/system-prompt.ts';
import { longTimer } from './long-timer.ts';
import { judgeEnd } from './normalize/end.ts';
import { endTools, type LadderStep, signalStep, stopProcess } from './process/index.ts';
import { withRetry } from './retry.ts';
import { newRunId } from './run-id.ts';
import { type Alarm, Watchdog } from './watchdog.ts';

/** What a conversation needs to know about its agent. */
export type ConversationInput = {
  backend: { id: string; label: string };
  driver: Driver;
  options: ResolvedOptions;
  hooks: RunHooks;
  /** Finds the agent's program; throws when it is not there. */
  locate(): { path: string; version?: string | undefined };
  /** The options that Baton carries out in the agent's place. */
  emulated: { systemPrompt?: string | undefined } & Limits;
};

export type PromptOptions = {
  images?: ImageInput[] | undefined;
  signal?: AbortSignal | undefined;
  /** No prompt follows: the agent is ended with the run. */
  last?: boolean;
};

/** The most that is kept of what an agent says while no prompt runs. */
const BETWEEN_LIMIT = 1000;
/** A tool's process may be older than the event that tells of it; the agent's MCP servers are much older. */
const TOOL_LEAD_MS = 200;
/** How long a consumer may leave events unread before the run is ended. */
const CONSUMER_MS = 600_000;

/** An agent in a child process, for one prompt after another; the process is reopened when the agent cannot keep it. */
export class AgentConversation implements Conversation {
  #input: ConversationInput;
  #link: AgentLink | undefined;
  #starting: Promise<AgentLink> | undefined;
  #active: ActiveRun | undefined;
  #last = false;
  /** Aborted by a second request to stop: no more waiting. */
  #force = new AbortController();
  /** Aborted by the first request to stop: nothing new is begun. */
  #quit = new AbortController();
  #stopping: Promise<StopReport> | undefined;
  #watchdog: Watchdog | undefined;
  #checkLimits: ((draft: EventDraft) => void) | undefined;
  #consumerTimer: NodeJS.Timeout | undefined;
  #between: EventDraft[] = [];
  #nativeSessionId: string | undefined;
  /** What the agent last said of its session. */
  #identified: DraftOf<'run.identified'> | undefined;
  #lastEnd: LinkEnd | undefined;
  #prompts = 0;
  #closed: Promise<StopReport> | undefined;

  constructor(input: ConversationInput) {
    this.#input = input;
    this.#nativeSessionId = input.options.resume;
  }

  get nativeSessionId(): string | undefined {
    return this.#nativeSessionId;
  }

  run(prompt: string, input: PromptOptions = {}): AgentRun {
    checkPrompt(prompt);
    if (this.#closed) throw new BatonError('usage', 'The conversation is closed.');
    if (this.#active) {
      throw new BatonError('usage', 'The conversation is busy with a prompt.', {
        hint: 'Await the result of the run before, or steer it.',
      });
    }
    const active = this.#begin(input);
    const images = input.images ?? (this.#prompts === 0 ? this.#input.options.images : undefined);
    const text =
      this.#prompts === 0 && !this.#input.options.resume
        ? withSystemPrompt(this.#input.emulated.systemPrompt, prompt)
        : prompt;
    this.#prompts += 1;
    void this.#drive(active, { text, images: images ?? [] });
    return active;
  }

  close(): Promise<StopReport> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  #begin(input: PromptOptions): ActiveRun {
    const { options, hooks, emulated } = this.#input;
    const active: ActiveRun = new ActiveRun({
      runId: newRunId(),
      hooks: input.signal ? { ...hooks, signal: input.signal } : hooks,
      permissionMode: options.permissionMode,
      cwd: options.cwd,
      control: {
        answer: (requestId, answer) => this.#link?.dialect.answer?.(requestId, answer),
        steer: (text) => this.#steer(text),
        stop: (cause, force) => this.#stop(active, cause, force),
      },
    });
    this.#active = active;
    this.#last = input.last ?? false;
    this.#lastEnd = undefined;
    this.#force = new AbortController();
    this.#quit = new AbortController();
    this.#stopping = undefined;
    this.#checkLimits = watchLimits(emulated, (cause) => void active.stop(cause));
    this.#watchdog = new Watchdog(
      options.timeouts ?? {},
      () => active.recorder.openTools > 0 || active.recorder.openRequests > 0 || active.queue.held,
      (alarm) => this.#ring(active, alarm),
    );
    active.queue.onPressure = (held) => this.#press(active, held);
    return active;
  }

  /** Takes a run from its first event to its last; whatever happens, it ends. */
  async #drive(active: ActiveRun, prompt: PromptInput): Promise<void> {
    const verdict = await this.#turns(active, prompt).catch(failedBy);
    this.#watchdog?.stop();
    clearTimeout(this.#consumerTimer);
    const stop = await active.stopping;
    const mustEnd = this.#last || !this.#input.driver.keepsProcess || !this.#link?.process.alive();
    const end = mustEnd ? await this.#endLink() : undefined;
    this.#active = undefined;
    if (this.#last) this.#closed ??= Promise.resolve(stop ?? reportOf(end));
    active.finish(verdict, end ?? {}, stop);
  }

  /** Runs the prompt, and once more when the answer misses its schema and a second try was asked for. */
  async #turns(active: ActiveRun, prompt: PromptInput): Promise<Verdict> {
    const { outputSchema, outputSchemaRetry } = this.#input.options;
    const located = this.#announce(active);
    const check = outputSchema ? await schemaCheck(outputSchema) : undefined;
    const first = await this.#tries(active, prompt, located);
    if (!outputSchema || !check || first.outcome !== 'done') return first;
    const judged = check({ ...first, output: first.output ?? active.recorder.lastText });
    if (judged.ok) return { ...first, structured: judged.value };
    if (!outputSchemaRetry) return mismatch(first, judged.problem);
    active.emit({ type: 'notice', level: 'warning', code: 'retry', message: judged.problem });
    active.nextTurn();
    const text = correctivePrompt(judged.problem, outputSchema);
    const second = await this.#turn(active, { text, images: [] }, located);
    const sum = { ...second, usage: addUsage(first.usage, second.usage) };
    if (second.outcome !== 'done') return sum;
    const again = check({ ...second, output: second.output ?? active.recorder.lastText });
    return again.ok ? { ...sum, structured: again.value } : mismatch(sum, again.problem);
  }

  /** Tries a prompt again after a passing failure, but never once the agent may have acted. */
  #tries(active: ActiveRun, prompt: PromptInput, located: { path: string }): Promise<Verdict> {
    const { retry } = this.#input.options;
    return withRetry(
      async (attempt) => {
        if (attempt > 0) {
          await this.#endLink();
          active.breakOff();
          active.nextTurn();
          if (this.#prompts === 1) this.#nativeSessionId = this.#input.options.resume;
        }
        return this.#turn(active, prompt, located).catch(failedBy);
      },
      {
        attempts: retry?.attempts ?? 0,
        baseMs: retry?.baseMs,
        signal: this.#quit.signal,
        isTransient: ({ outcome, error }) =>
          outcome === 'failed' && error?.retryable === true && active.recorder.toolsStarted === 0,
        onRetry: ({ error }, attempt, pauseMs) =>
          active.emit({
            type: 'notice',
            level: 'warning',
            code: 'retry',
            message: `${error?.message ?? 'The run failed.'} Trying again in ${seconds(pauseMs)} (${attempt} of ${retry?.attempts}).`,
            data: { attempt, pauseMs, code: error?.code },
          }),
      },
    );
  }

  #announce(active: ActiveRun): { path: string } {
    const { backend, driver, options, locate } = this.#input;
    let version: string | undefined;
    try {
      const located = locate();
      version = located.version;
      return located;
    } finally {
      active.recorder.started({
        backend: backend.id,
        version,
        transport: driver.transport,
        model: options.model,
        cwd: options.cwd,
      });
      this.#introduce(active);
      for (const draft of this.#between.splice(0)) active.emit(draft);
    }
  }

  /** Tells what this run has from the conversation and what it does not have. */
  #introduce(active: ActiveRun): void {
    if (this.#identified && this.#link?.process.alive())
      active.emit({ ...this.#identified, synthetic: true });
    const { emulated, options } = this.#input;
    if (this.#prompts > 1 || !emulated.systemPrompt || !options.resume) return;
    active.emit({
      type: 'notice',
      level: 'warning',
      code: 'option_ignored',
      message: 'The system prompt was ignored: a session that goes on keeps the one it began with.',
    });
  }

  async #turn(active: ActiveRun, prompt: PromptInput, located: { path: string }): Promise<Verdict> {
    if (active.cause) return active.cause;
    const link = await this.#connect(active, prompt, located);
    if (!active.cause) link.dialect.prompt?.(prompt);
    const verdict = await active.turn;
    if (!this.#input.driver.keepsProcess) await link.ended;
    return verdict;
  }

  #connect(active: ActiveRun, prompt: PromptInput, located: { path: string }): Promise<AgentLink> {
    const last = this.#link;
    if (last && !last.isOver && last.process.alive()) return Promise.resolve(last);
    // From here on its end, if it is still to come, is not taken for the end of this turn.
    this.#link = undefined;
    this.#starting = this.#start(active, prompt, located, last).finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #start(
    active: ActiveRun,
    prompt: PromptInput,
    located: { path: string },
    last: AgentLink | undefined,
  ): Promise<AgentLink> {
    await last?.ended;
    const { driver, options, hooks } = this.#input;
    const link = await AgentLink.start({
      runId: active.runId,
      driver,
      options,
      file: located.path,
      resume: this.#nativeSessionId,
      fork: options.fork === true && this.#nativeSessionId === options.resume,
      prompt,
      onLaunch: hooks.onLaunch,
      onLine: () => this.#watchdog?.life(),
      onEmit: (draft) => this.#emit(draft),
      onComplete: (verdict) => this.#complete(verdict),
    });
    this.#link = link;
    void link.ended.then((end) => this.#ended(link, end));
    return link;
  }

  #emit(draft: EventDraft): void {
    if (draft.type === 'run.identified') {
      this.#identified = draft;
      this.#nativeSessionId = draft.nativeSessionId;
    }
    if (!this.#active) {
      if (this.#between.length < BETWEEN_LIMIT) this.#between.push(draft);
      return;
    }
    this.#active.emit(draft);
    this.#checkLimits?.(draft);
  }

  #complete(verdict: Verdict): void {
    const active = this.#active;
    if (!active) return;
    active.spoken = verdict;
    if (this.#input.driver.keepsProcess) active.endTurn(verdict);
  }

  #ended(link: AgentLink, end: LinkEnd): void {
    if (this.#link !== link) return;
    this.#link = undefined;
    this.#lastEnd = end;
    const active = this.#active;
    if (!active) return;
    active.endTurn(
      active.spoken ?? link.dialect.end(end) ?? judgeEnd(end, this.#input.backend.label),
    );
  }

  #steer(text: string): void {
    const dialect = this.#link?.dialect;
    if (!dialect) {
      throw new BatonError('usage', 'The agent is still starting and cannot be steered yet.', {
        hint: 'Steer it after its first words.',
      });
    }
    if (!dialect.steer) {
      throw new BatonError(
        'capability_missing',
        `${this.#input.backend.label} cannot be steered while it works.`,
        {
          hint: 'Wait for the run to end and send another prompt.',
        },
      );
    }
    dialect.steer(text);
  }

  #press(active: ActiveRun, held: boolean): void {
    clearTimeout(this.#consumerTimer);
    if (!held || this.#stopping) return this.#link?.process.resume();
    this.#link?.process.pause();
    const limit = this.#input.options.timeouts?.consumerMs ?? CONSUMER_MS;
    if (limit === 0) return;
    this.#consumerTimer = longTimer(() => {
      const message = `The events of the run were not read for ${limit / 1000} s.`;
      void active.stop({ outcome: 'failed', error: errorInfo('consumer_stalled', message) });
    }, limit);
  }

  #ring(active: ActiveRun, alarm: Alarm): void {
    if (alarm === 'quiet') {
      const message = 'The agent has been quiet for two minutes.';
      return active.emit({ type: 'notice', level: 'info', code: 'quiet', message });
    }
    const { label } = this.#input.backend;
    const { startMs, idleMs, totalMs } = this.#input.options.timeouts ?? {};
    const error = {
      start: () =>
        errorInfo('stalled', `${label} gave no sign of life within ${seconds(startMs)}.`),
      idle: () => errorInfo('stalled', `${label} gave no sign of life for ${seconds(idleMs)}.`),
      total: () => errorInfo('timed_out', `The run took longer than ${seconds(totalMs)}.`),
    }[alarm]();
    void active.stop({ outcome: 'timed_out', error });
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
      return { ...reportOf(undefined), requestedAt };
    }
    link.process.resume();
    const report =
      (await this.#interruptTurn(active, link, requestedAt)) ?? (await this.#climb(active, link));
    active.endTurn({ ...active.spoken, ...stopped });
    return { ...report, requestedAt };
  }

  /** Ends the turn and keeps the agent, when it cooperates and another prompt may follow. */
  async #interruptTurn(
    active: ActiveRun,
    link: AgentLink,
    requestedAt: number,
  ): Promise<StopReport | undefined> {
    const { driver } = this.#input;
    if (this.#last || !driver.keepsProcess || this.#force.signal.aborted) return undefined;
    if (!link.dialect.interrupt?.()) return undefined;
    const heard = await raceTimer(
      [active.turn, link.process.exited],
      driver.stop.interruptMs,
      this.#force.signal,
    );
    if (!heard || !link.process.alive()) return undefined;
    const acknowledgedAt = Date.now();
    const { firstToolAt } = active.recorder;
    const tools =
      firstToolAt === undefined
        ? { killed: 0, remaining: 0 }
        : await endTools(link.process, firstToolAt - TOOL_LEAD_MS);
    return {
      state: tools.remaining === 0 ? 'stopped' : 'unverified',
      reason:
        tools.remaining === 0
          ? undefined
          : `${tools.remaining} process(es) of the run could not be ended.`,
      requestedAt,
      acknowledgedAt,
      stoppedAt: Date.now(),
      steps: [{ step: 'interrupt', ms: acknowledgedAt - requestedAt }],
      killed: tools.killed,
    };
  }

  #climb(active: ActiveRun, link: AgentLink): Promise<StopReport> {
    const { stop } = this.#input.driver;
    link.stopping = true;
    const interrupt: LadderStep = {
      step: 'interrupt',
      waitMs: stop.interruptMs,
      act: () => {
        if (!link.dialect.interrupt?.()) return false;
        void active.turn.then(() => link.process.endStdin());
        return true;
      },
    };
    return stopProcess({
      process: link.process,
      steps: [interrupt, signalStep(link.process, stop.signal, stop.signalMs)],
      force: this.#force.signal,
    });
  }

  /** Ends the agent after its last turn, in peace if it can. */
  async #endLink(): Promise<LinkEnd | undefined> {
    const link = this.#link;
    if (!link) return this.#lastEnd;
    const { stop } = this.#input.driver;
    link.process.resume();
    link.process.endStdin();
    const left = await raceTimer([link.process.exited], stop.closeMs, this.#force.signal);
    if (!left) {
      link.stopping = true;
      await stopProcess({
        process: link.process,
        steps: [signalStep(link.process, stop.signal, stop.signalMs)],
        force: this.#force.signal,
      });
    }
    return link.ended;
  }

  async #close(): Promise<StopReport> {
    await this.#active?.stop({
      outcome: 'cancelled',
      error: errorInfo('interrupted', 'The conversation was closed.'),
    });
    return reportOf(await this.#endLink());
  }
}

function failedBy(error: unknown): Verdict {
  if (BatonError.is(error)) return { outcome: 'failed', error: error.toJSON() };
  const message = error instanceof Error ? error.message : String(error);
  return { outcome: 'failed', error: errorInfo('internal', message) };
}

function mismatch(verdict: Verdict, problem: string): Verdict {
  return { ...verdict, outcome: 'failed', error: errorInfo('schema_mismatch', problem) };
}

function reportOf(end: LinkEnd | undefined): StopReport {
  const now = Date.now();
  const remaining = end?.remaining ?? 0;
  return {
    state: remaining === 0 ? 'stopped' : 'unverified',
    reason: remaining === 0 ? undefined : `${remaining} process(es) could not be ended.`,
    requestedAt: now,
    stoppedAt: now,
    steps: [],
    killed: end?.leftovers ?? 0,
  };
}

function seconds(milliseconds: number | undefined): string {
  return `${(milliseconds ?? 0) / 1000} s`;
}

/** Waits for the first of some promises, a time, or an abort; tells whether one of the promises was first. */
async function raceTimer(
  promises: readonly Promise<unknown>[],
  milliseconds: number,
  abort: AbortSignal,
): Promise<boolean> {
  const expired = Promise.withResolvers<false>();
  const giveUp = () => expired.resolve(false);
  const timer = setTimeout(giveUp, milliseconds);
  abort.addEventListener('abort', giveUp, { once: true });
  if (abort.aborted) giveUp();
  const first = await Promise.race([
    ...promises.map((promise) => promise.then(() => true)),
    expired.promise,
  ]);
  clearTimeout(timer);
  abort.removeEventListener('abort', giveUp);
  return first;
}
