import {
  BatonError,
  checkRequests,
  errorInfo,
  type OutputSchema,
  type StopReport,
  type StructuredOf,
} from '@baton/protocol/values';
import type { AgentRun, Conversation, PromptOptions } from '../definition/backend.ts';
import type { EventDraft } from '../definition/dialect.ts';
import type { ResolvedOptions } from '../definition/driver.ts';
import { withNewSystemPrompt, withSystemPrompt } from '../emulate/system-prompt.ts';
import { checkPrompt, checkPromptOptions } from '../options/check-options.ts';
import type { ActiveRun } from './active-run.ts';
import type { ConversationInput } from './conversation-input.ts';
import { LinkKeeper } from './link-keeper.ts';
import { PromptRun } from './prompt-run.ts';
import { SessionFacts } from './session-facts.ts';
import { endOrphans } from './start-notices.ts';
import { reportOf } from './stop-link.ts';

/** Maximum number of events to keep that an agent emits between prompts. */
const BETWEEN_LIMIT = 1000;

/** Runs one prompt after another with one agent, and passes what the agent reports to the run of the latest prompt. */
export class AgentConversation implements Conversation {
  #input: ConversationInput;
  #session: SessionFacts;
  #keeper: LinkKeeper;
  /** The run of the latest prompt, also after it has ended. */
  #latest: PromptRun | undefined;
  /** Events that the agent emitted after the latest run. */
  #between: EventDraft[] = [];
  #closed: Promise<StopReport> | undefined;

  constructor(input: ConversationInput) {
    this.#input = input;
    this.#session = new SessionFacts(input.opened.options);
    this.#keeper = new LinkKeeper(input, this.#session, {
      onLine: () => {
        this.#latest?.turns.noteLine();
        this.#latest?.monitor.clock.line();
      },
      onEmit: (draft) => this.#receive(draft),
      onComplete: (verdict) => this.#latest?.turns.complete(verdict),
      onGiveUp: (error) => this.#latest?.turns.giveUp(error),
      onLimit: (error) => void this.#active?.stop({ outcome: 'failed', error }),
      onBackground: (wait) => this.#latest?.monitor.clock.background(wait),
      onEnd: (link, end) => this.#latest?.turns.agentEnded(link, end),
    });
  }

  get nativeSessionId(): string | undefined {
    return this.#session.nativeSessionId;
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

  close(): Promise<StopReport> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<StopReport> {
    await this.#active?.stop({
      outcome: 'cancelled',
      error: errorInfo('interrupted', 'The conversation was closed.'),
    });
    return reportOf(await this.#latest?.turns.endAgent());
  }

  /** The run in progress. */
  get #active(): ActiveRun | undefined {
    const run = this.#latest?.handle;
    return run?.recorder.ended ? undefined : run;
  }

  #run(prompt: string, options: PromptOptions, isLast = false): ActiveRun {
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
    const { opened } = this.#input;
    const configuration = isChanged ? this.#input.configure(changes) : opened;
    this.#checkChanges(configuration.options);
    const isFirst = this.#latest === undefined;
    const images = given.images ?? (isFirst ? opened.options.images : undefined);
    const text = isFirst ? withFirstSystemPrompt(this.#input, prompt) : prompt;
    this.#session.beginPrompt(configuration.options);
    this.#latest = new PromptRun({
      conversation: this.#input,
      keeper: this.#keeper,
      session: this.#session,
      configuration,
      hooks: { ...this.#input.hooks, ...hooks, runId },
      missed: this.#between.splice(0),
      isFirst,
      isLast,
    });
    void this.#latest.runToEnd({ text, images: images ?? [] });
    void endOrphans((draft) => this.#receive(draft));
    return this.#latest.handle;
  }

  /** Refuses options that would need a restart of an agent that cannot resume its session. */
  #checkChanges(options: ResolvedOptions): void {
    const { backend } = this.#input;
    const changed = this.#keeper.changedOption(options);
    const canResume = backend.capabilities.options.resume.support !== 'unsupported';
    if (changed === undefined || (canResume && this.nativeSessionId !== undefined)) return;
    throw new BatonError(
      'capability_missing',
      `${backend.label} cannot change ${changed} in a conversation: it cannot resume its session.`,
      { hint: `Set ${changed} in open(), or open another conversation.` },
    );
  }

  /** Passes an event to the run in progress, or keeps it for the next one. */
  #receive(reported: EventDraft): void {
    const draft = this.#session.read(reported);
    if (this.#latest && this.#active) return this.#latest.monitor.emit(draft);
    if (this.#between.length < BETWEEN_LIMIT) this.#between.push(draft);
  }
}

/** Puts the system prompt in front of the first prompt, where the agent can only be given it there. */
function withFirstSystemPrompt({ driver, opened }: ConversationInput, prompt: string): string {
  const { emulated, options } = opened;
  if (!options.resume) return withSystemPrompt(emulated.systemPrompt, prompt);
  const lacks = driver.lacksSystemPrompt?.(options);
  if (!lacks || !options.systemPrompt) return prompt;
  return lacks === 'always'
    ? withSystemPrompt(options.systemPrompt, prompt)
    : withNewSystemPrompt(options.systemPrompt, prompt);
}

/** The properties that have a value: one without it is as good as none. */
function onlyGiven<Options extends object>(options: Options): Partial<Options> {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Partial<Options>;
}
