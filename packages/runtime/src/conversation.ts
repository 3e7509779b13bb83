import { setImmediate as nextTick } from 'node:timers/promises';
import {
  BatonError,
  type ErrorInfo,
  errorInfo,
  type FolderTrust,
  type ImageInput,
  type StopReport,
} from '@baton/protocol';
import { ActiveRun, type StopCause } from './active-run.ts';
import { AgentLink, type LinkEnd } from './agent-link.ts';
import type { AgentRun, Conversation, RunHooks } from './backend.ts';
import { checkPrompt } from './check-options.ts';
import type { DraftOf, EventDraft, PromptInput, Verdict } from './dialect.ts';
import { type Driver, type ResolvedOptions, withholdsSettings } from './driver.ts';
import { checkedAnswer } from './emulate/checked-answer.ts';
import { type Limits, watchLimits } from './emulate/limits.ts';
import { withSystemPrompt } from './emulate/system-prompt.ts';
import { growthNotice } from './growth-notice.ts';
import { judgeEnd } from './normalize/end.ts';
import { skippedWords, sweepOrphansOnce } from './process/index.ts';
import { DEFAULT_RETRY, pause, withRetry } from './retry.ts';
import { RunClock, seconds } from './run-clock.ts';
import { newRunId } from './run-id.ts';
import {
  climbLadder,
  endBySignal,
  endInPeace,
  interruptTurn,
  processes,
  reportOf,
  type StopInput,
} from './stop-link.ts';

/** Where an agent's program is. */
export type LocatedAgent = {
  path: string;
  version?: string | undefined;
  /** Programs of that name which were passed over because the workspace brought them. */
  skipped: readonly string[];
};

/** What a conversation needs to know about its agent. */
export type ConversationInput = {
  backend: { id: string; label: string };
  driver: Driver;
  options: ResolvedOptions;
  hooks: RunHooks;
  /** Finds the agent's program; throws when it is not there. */
  locate(): LocatedAgent;
  /** Tells what was decided about the folder, and which settings it brings right now. */
  trust(): FolderTrust;
  /** The options that Baton carries out in the agent's place. */
  emulated: { systemPrompt?: string | undefined } & Limits;
};

export type PromptOptions = {
  images?: ImageInput[] | undefined;
  signal?: AbortSignal | undefined;
  runId?: string | undefined;
  /** No prompt follows: the agent is ended with the run. */
  last?: boolean;
};

/** The most that is kept of what an agent says while no prompt runs. */
const BETWEEN_LIMIT = 1000;
/** An agent that loses a race against others that start is started so often again, after 200 ms and then twice as long. */
const START_RACES = 5;
const START_RACE_MS = 100;

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
  #clock: RunClock | undefined;
  #checkLimits: ((draft: EventDraft) => void) | undefined;
  /** How often the agent could not start because others did. */
  #startRaces = 0;
  /** Whether the process is being ended because the agent gets nowhere; what it still says of its turn is void. */
  #givenUp = false;
  /** Whether the agent has said anything since the last prompt. */
  #heard = false;
  #between: EventDraft[] = [];
  #nativeSessionId: string | undefined;
  /** What the agent last said of its session. */
  #identified: DraftOf<'run.identified'> | undefined;
  #lastEnd: LinkEnd | undefined;
  #prompts = 0;
  #spentUsd = 0;
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
      this.#prompts === 0 ? withSystemPrompt(this.#systemPromptInFront(), prompt) : prompt;
    this.#prompts += 1;
    void this.#drive(active, { text, images: images ?? [] });
    return active;
  }

  /** The system prompt, where the agent can only be given it with the first prompt. */
  #systemPromptInFront(): string | undefined {
    const { driver, emulated, options } = this.#input;
    if (!options.resume) return emulated.systemPrompt;
    return driver.lacksSystemPrompt?.(options) ? options.systemPrompt : undefined;
  }

  close(): Promise<StopReport> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  #begin(input: PromptOptions): ActiveRun {
    const { backend, driver, options, hooks, emulated } = this.#input;
    const active: ActiveRun = new ActiveRun({
      runId: input.runId ?? newRunId(),
      hooks: input.signal ? { ...hooks, signal: input.signal } : hooks,
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
    this.#last = input.last ?? false;
    this.#lastEnd = undefined;
    this.#force = new AbortController();
    this.#quit = new AbortController();
    this.#stopping = undefined;
    const limits = { ...emulated, spentUsd: this.#spentUsd };
    this.#checkLimits = watchLimits(limits, (cause) => void active.stop(cause));
    this.#clock = new RunClock(active, {
      label: backend.label,
      timeouts: options.timeouts,
      speaksAtOnce: driver.keepsProcess,
    });
    active.queue.onPressure = (held) => this.#press(held);
    return active;
  }

  /** Takes a run from its first event to its last; whatever happens, it ends. */
  async #drive(active: ActiveRun, prompt: PromptInput): Promise<void> {
    const verdict = await this.#announce(active)
      .then((located) => this.#turns(active, prompt, located))
      .catch(failedBy);
    this.#clock?.stop();
    const stop = await active.stopping;
    const mustEnd = this.#last || !this.#input.driver.keepsProcess || !this.#link?.process.alive();
    const end = mustEnd ? await this.#endLink() : undefined;
    this.#active = undefined;
    this.#spentUsd += active.recorder.lastUsage?.costUsd ?? 0;
    if (this.#last) this.#closed ??= Promise.resolve(stop ?? reportOf(end));
    active.finish(verdict, end ?? {}, stop);
  }

  #turns(active: ActiveRun, prompt: PromptInput, located: { path: string }): Promise<Verdict> {
    return checkedAnswer(active, prompt, this.#input.options, {
      first: (text) => this.#tries(active, text, located),
      again: (text) => this.#turn(active, text, located),
    });
  }

  /** Tries a prompt again after a passing failure, but never once the agent may have acted. */
  #tries(active: ActiveRun, prompt: PromptInput, located: { path: string }): Promise<Verdict> {
    const { retry = { attempts: 0 } } = this.#input.options;
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
            message: `${error?.message ?? 'The run failed.'} Trying again in ${seconds(pauseMs)} (${attempt} of ${attempts}).`,
            data: { attempt, pauseMs, code: error?.code },
          }),
      },
    );
  }

  /** The next try begins the session anew, unless it was given a name, which is taken by now. */
  #forgetSession(): void {
    const { sessionId, resume } = this.#input.options;
    if (this.#nativeSessionId !== sessionId) this.#nativeSessionId = resume;
  }

  /** Finds the agent and begins the stream, also when it is not found. */
  async #announce(active: ActiveRun): Promise<{ path: string }> {
    const { backend, driver, options, locate } = this.#input;
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
      for (const notice of startNotices(this.#input, located)) active.emit(notice);
      this.#introduce(active);
      void endOrphans((draft) => this.#emit(draft));
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
    const before = this.#link;
    const link = await this.#connect(active, prompt, located);
    this.#heard = false;
    if (!active.cause) link.dialect.prompt?.(prompt);
    const verdict = await active.turn;
    if (!this.#input.driver.keepsProcess) await link.ended;
    const neverSpoke = link.isOver && !this.#heard && !active.cause;
    if (!neverSpoke) return verdict;
    // Either the process ended while it was idle and never took the prompt, or it did not get that far.
    if (link !== before && !(await this.#mayStartAgain(await link.ended))) return verdict;
    active.nextTurn();
    return this.#turn(active, prompt, located);
  }

  /** Waits for others that start at the same time, if that is why the agent left. */
  async #mayStartAgain(end: LinkEnd): Promise<boolean> {
    if (this.#startRaces >= START_RACES || !this.#input.driver.isStartRace?.(end)) return false;
    this.#startRaces += 1;
    return pause(START_RACE_MS * 2 ** this.#startRaces, this.#quit.signal);
  }

  #connect(active: ActiveRun, prompt: PromptInput, located: { path: string }): Promise<AgentLink> {
    const last = this.#link;
    const { backend, driver, hooks } = this.#input;
    const isReady = last && !last.isOver && last.process.alive();
    const limit = { label: backend.label, maxProcesses: hooks.maxProcesses };
    const growth = isReady ? growthNotice(last.process, limit) : undefined;
    if (isReady && !growth) return Promise.resolve(last);
    // From here on its end, if it is still to come, is not taken for the end of this turn.
    this.#link = undefined;
    let gone = last?.ended;
    if (last && growth) {
      active.emit(growth);
      // What it leaves behind is told of already.
      last.stopping = true;
      gone = endInPeace(last, driver.stop, this.#force.signal);
    }
    this.#starting = this.#start(active, prompt, located, gone).finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #start(
    active: ActiveRun,
    prompt: PromptInput,
    located: { path: string },
    before: Promise<LinkEnd> | undefined,
  ): Promise<AgentLink> {
    await before;
    const { driver, hooks } = this.#input;
    // An earlier prompt may have brought settings into the folder.
    const options = { ...this.#input.options, trust: this.#input.trust() };
    const link = await AgentLink.start({
      runId: active.runId,
      driver,
      options,
      file: located.path,
      resume: this.#nativeSessionId,
      fork: options.fork === true && this.#nativeSessionId === options.resume,
      prompt,
      onLaunch: hooks.onLaunch,
      onPrinted: hooks.onPrinted,
      confine: hooks.confine,
      onLine: () => {
        this.#heard = true;
        this.#clock?.line();
      },
      onEmit: (draft) => this.#emit(draft),
      onComplete: (verdict) => this.#complete(verdict),
      onGiveUp: (error) => this.#giveUp(error),
    });
    this.#link = link;
    this.#givenUp = false;
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
    this.#clock?.event(draft);
    this.#active.emit(draft);
    this.#checkLimits?.(draft);
  }

  #complete(verdict: Verdict): void {
    const active = this.#active;
    if (!active || this.#givenUp) return;
    active.spoken = verdict;
    if (this.#input.driver.keepsProcess) active.endTurn(verdict);
  }

  /** Ends the process of an agent that gets nowhere; its end then ends the turn. */
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

  /** A slow consumer holds the agent back, but never one that is being stopped. */
  #press(held: boolean): void {
    const holds = held && !this.#stopping;
    this.#clock?.unread(holds);
    if (holds) this.#link?.process.pause();
    else this.#link?.process.resume();
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
    link.process.resume();
    const { driver } = this.#input;
    const input: StopInput = {
      link,
      times: driver.stop,
      turn: active.turn,
      firstToolAt: active.recorder.firstToolAt,
      force: this.#force.signal,
    };
    const mayStay = driver.keepsProcess && !this.#last;
    const report = (mayStay ? await interruptTurn(input) : undefined) ?? (await climbLadder(input));
    active.endTurn({ ...active.spoken, ...stopped });
    return { ...report, requestedAt };
  }

  async #endLink(): Promise<LinkEnd | undefined> {
    if (!this.#link) return this.#lastEnd;
    return endInPeace(this.#link, this.#input.driver.stop, this.#force.signal);
  }

  async #close(): Promise<StopReport> {
    await this.#active?.stop({
      outcome: 'cancelled',
      error: errorInfo('interrupted', 'The conversation was closed.'),
    });
    return reportOf(await this.#endLink());
  }
}

/** Ends, once in the life of this program, what runs left behind whose Baton was killed. */
async function endOrphans(emit: (draft: EventDraft) => void): Promise<void> {
  // The agent starts meanwhile.
  await nextTick();
  const { runs, killed } = await sweepOrphansOnce();
  if (killed === 0) return;
  const whose = runs === 1 ? 'a run' : `${runs} runs`;
  emit({
    type: 'notice',
    level: 'warning',
    code: 'leftover_processes',
    message: `Ended ${processes(killed)} that ${whose} left behind when Baton was killed.`,
    data: { runs, killed },
  });
}

/** What a person should know before the agent is started. */
function startNotices(
  { backend, driver, trust: findTrust }: ConversationInput,
  located: LocatedAgent | undefined,
): DraftOf<'notice'>[] {
  const notices: DraftOf<'notice'>[] = (located?.skipped ?? []).map((path) => ({
    type: 'notice',
    level: 'warning',
    code: 'binary_skipped',
    message: skippedWords(path),
    data: { path },
  }));
  const trust = findTrust();
  if (!withholdsSettings({ trust })) return notices;
  const found = trust.settings.join(', ');
  const message = driver.canWithholdSettings
    ? `Nobody has trusted this folder, so ${backend.label} does not load its settings (${found}): no hooks, MCP servers, plugins or rules. "baton trust" changes that.`
    : `Nobody has trusted this folder, but ${backend.label} cannot be kept from loading its settings (${found}): its hooks and MCP servers may start.`;
  // Who has said no knows it.
  const isExpected = driver.canWithholdSettings && trust.decidedBy !== undefined;
  const level = isExpected ? 'info' : 'warning';
  return [...notices, { type: 'notice', level, code: 'folder_untrusted', message, data: trust }];
}

function failedBy(error: unknown): Verdict {
  if (BatonError.is(error)) return { outcome: 'failed', error: error.toJSON() };
  const message = error instanceof Error ? error.message : String(error);
  return { outcome: 'failed', error: errorInfo('internal', message) };
}
