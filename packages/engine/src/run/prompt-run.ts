import { BatonError, DEFAULT_RETRY, errorInfo, withRetry } from '@baton/protocol/values';
import type { RunHooks } from '../definition/backend.ts';
import type { EventDraft, PromptInput, Verdict } from '../definition/dialect.ts';
import { ActiveRun } from './active-run.ts';
import { AgentTurns } from './agent-turns.ts';
import { checkedAnswer } from './checked-answer.ts';
import type { Configuration, ConversationInput, LocatedAgent } from './conversation-input.ts';
import type { LinkKeeper } from './link-keeper.ts';
import { seconds } from './run-clock.ts';
import { RunMonitor } from './run-monitor.ts';
import type { SessionFacts } from './session-facts.ts';
import { startNotices } from './start-notices.ts';
import { StopControl } from './stop-control.ts';

type PromptRunInput = {
  conversation: ConversationInput;
  keeper: LinkKeeper;
  session: SessionFacts;
  configuration: Configuration;
  hooks: RunHooks;
  /** Events that the agent emitted since the previous prompt. */
  missed: readonly EventDraft[];
  isFirst: boolean;
  /** True if the agent is ended with this prompt. */
  isLast: boolean;
};

/** Takes one prompt from its first event to its result, with the retries and checks that its options ask for. */
export class PromptRun {
  readonly handle: ActiveRun;
  readonly monitor: RunMonitor;
  readonly turns: AgentTurns;
  #input: PromptRunInput;
  #stop: StopControl;

  constructor(input: PromptRunInput) {
    const { conversation, keeper, session, configuration, hooks, isLast } = input;
    const { backend, driver } = conversation;
    const { options } = configuration;
    const stop = new StopControl({
      keeper,
      driver,
      keepsProcess: driver.keepsProcess && !isLast,
    });
    const run: ActiveRun = new ActiveRun({
      runId: hooks.runId ?? newRunId(),
      hooks,
      permissionMode: options.permissionMode,
      cwd: options.cwd,
      protectedPaths: options.protectedPaths,
      control: {
        answer: (requestId, answer) => keeper.link?.dialect.answer?.(requestId, answer),
        steer: (text) => keeper.steer(text),
        stop: (cause, force) => stop.stop(run, cause, force),
      },
    });
    run.onPressure = (held) => this.#applyPressure(held);
    const { spentUsd } = session;
    this.#input = input;
    this.#stop = stop;
    this.handle = run;
    this.monitor = new RunMonitor({ backend, driver, run, configuration, spentUsd });
    this.turns = new AgentTurns({ backend, driver, hooks, run, keeper, session, options, stop });
  }

  /** Runs the prompt; whatever happens, the run ends. */
  async runToEnd(prompt: PromptInput): Promise<void> {
    const { conversation, keeper, session, isLast } = this.#input;
    const verdict = await this.#announce()
      .then((located) => this.#askForCheckedAnswer(prompt, located))
      .catch(failedBy);
    this.monitor.clock.stop();
    const stop = await this.handle.stopping;
    const mustEnd = isLast || !conversation.driver.keepsProcess || !keeper.link?.alive();
    const end = mustEnd ? await this.turns.endAgent() : undefined;
    session.spentUsd += (verdict.usage ?? this.handle.recorder.lastUsage)?.costUsd ?? 0;
    this.handle.finish(verdict, end ?? {}, stop);
  }

  /** Finds the agent and begins the stream, also when it is not found. */
  async #announce(): Promise<LocatedAgent> {
    const { conversation, configuration, missed } = this.#input;
    const { backend, driver, locate } = conversation;
    const { options } = configuration;
    let located: LocatedAgent | undefined;
    try {
      located = locate();
      return located;
    } finally {
      this.handle.recorder.started({
        backend: backend.id,
        version: located?.version,
        transport: driver.transport,
        model: options.model,
        cwd: options.cwd,
      });
      for (const notice of startNotices(conversation, options, located)) this.handle.emit(notice);
      this.#emitStartFacts();
      for (const draft of missed) this.handle.emit(draft);
    }
  }

  /** Emits what the run inherits from the conversation, and notices about what it lacks. */
  #emitStartFacts(): void {
    const { keeper, session, configuration, isFirst } = this.#input;
    if (session.identified && keeper.link?.alive())
      this.handle.emit({ ...session.identified, synthetic: true });
    const { emulated, options } = configuration;
    if (!isFirst || !emulated.systemPrompt || !options.resume) return;
    this.handle.emit({
      type: 'notice',
      level: 'warning',
      code: 'option_ignored',
      message: 'The system prompt was ignored: a resumed session keeps its original one.',
    });
  }

  /** Asks for an answer that matches the output schema, where the caller gave one. */
  #askForCheckedAnswer(prompt: PromptInput, located: LocatedAgent): Promise<Verdict> {
    const { options, parse } = this.#input.configuration;
    return checkedAnswer(
      this.handle,
      prompt,
      { ...options, parse },
      {
        first: (text) => this.#askWithRetries(text, located),
        again: (text) => this.turns.ask(text, located),
      },
    );
  }

  /** Retries a prompt after a transient failure, but never once the agent may have acted. */
  #askWithRetries(prompt: PromptInput, located: LocatedAgent): Promise<Verdict> {
    const { handle: run, turns } = this;
    const { retry = { attempts: 0 } } = this.#input.configuration.options;
    const { attempts = DEFAULT_RETRY.attempts } = retry;
    return withRetry(
      async (attempt) => {
        if (attempt > 0) await this.#prepareRetry();
        return turns.ask(prompt, located).catch(failedBy);
      },
      {
        attempts,
        baseMs: retry.baseMs,
        signal: this.#stop.quit,
        isTransient: ({ outcome, error }) =>
          outcome === 'failed' && error?.retryable === true && run.recorder.toolsStarted === 0,
        onRetry: ({ error }, attempt, pauseMs) =>
          run.emit({
            type: 'notice',
            level: 'warning',
            code: 'retry',
            message: `${error?.message ?? 'The run failed.'} Retrying in ${seconds(pauseMs)} (${attempt} of ${attempts}).`,
            data: { attempt, pauseMs, code: error?.code },
          }),
      },
    );
  }

  async #prepareRetry(): Promise<void> {
    const { session, isFirst } = this.#input;
    await this.turns.endAgent();
    this.handle.breakOff();
    this.handle.nextTurn();
    if (isFirst) session.forgetSession();
  }

  /** Applies backpressure from a slow consumer, but never while the agent is being stopped. */
  #applyPressure(held: boolean): void {
    const { link } = this.#input.keeper;
    if (held && !this.#stop.isRequested) link?.pause();
    else link?.resume();
  }
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
