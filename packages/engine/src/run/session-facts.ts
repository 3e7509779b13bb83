import type { Usage } from '@baton/protocol/values';
import type { DraftOf, EventDraft, Verdict } from '../definition/dialect.ts';
import type { ResolvedOptions } from '../definition/driver.ts';
import { readPrices, withEstimatedCost } from '../prices/estimate-cost.ts';

/** Facts about the agent's session that outlast a prompt: its id, its models, and its cost. */
export class SessionFacts {
  /** Cost of the prompts that have ended. */
  spentUsd = 0;
  #opened: ResolvedOptions;
  /** The options of the latest prompt. */
  #options: ResolvedOptions;
  #nativeSessionId: string | undefined;
  /** The agent's last report on its session. */
  #identified: DraftOf<'run.identified'> | undefined;
  /** True if the agent's process was started without a model, so that it uses its default. */
  #usesDefaultModel = true;
  /** The model that the agent's process has named. */
  #usedModel: string | undefined;
  /** The model that the agent chose by default. */
  #defaultModel: string | undefined;
  /** The model that a prompt named for itself: the session keeps it until another one is set. */
  #promptsModel: string | undefined;

  constructor(opened: ResolvedOptions) {
    this.#opened = opened;
    this.#options = opened;
    this.#nativeSessionId = opened.resume;
  }

  get nativeSessionId(): string | undefined {
    return this.#nativeSessionId;
  }

  get identified(): DraftOf<'run.identified'> | undefined {
    return this.#identified;
  }

  /** Call for each prompt, before its first event. */
  beginPrompt(options: ResolvedOptions): void {
    this.#options = options;
  }

  /** Call before a process of the agent is started for the latest prompt. */
  beginProcess(): void {
    this.#usesDefaultModel = this.#options.model === undefined;
    this.#usedModel = undefined;
  }

  /** Makes the next attempt start a new session, unless the caller named the session: that name is taken by now. */
  forgetSession(): void {
    const { sessionId, resume } = this.#opened;
    if (this.#nativeSessionId !== sessionId) this.#nativeSessionId = resume;
  }

  /** Returns the model of a new process: after a prompt with its own model, the next ones use the previous one. */
  modelToStart(emit: (draft: EventDraft) => void): string | undefined {
    const { model } = this.#options;
    if (model !== this.#opened.model) this.#promptsModel = model;
    const isKept = this.#nativeSessionId !== undefined && this.#promptsModel !== undefined;
    if (model !== undefined || !isKept) return model;
    if (this.#defaultModel !== undefined) return this.#defaultModel;
    emit({
      type: 'notice',
      level: 'warning',
      code: 'option_ignored',
      message: `The session keeps the model ${this.#promptsModel} of an earlier prompt, because no default model is known.`,
    });
    return undefined;
  }

  /** Remembers what an event says about the session; returns the event, with an estimated cost if it reports usage. */
  read(draft: EventDraft): EventDraft {
    if (draft.type === 'usage.updated') return { ...draft, usage: this.#priced(draft.usage) };
    if (draft.type !== 'run.identified') return draft;
    this.#usedModel = draft.model ?? this.#usedModel;
    if (this.#usesDefaultModel) this.#defaultModel ??= draft.model;
    this.#identified = draft;
    this.#nativeSessionId = draft.nativeSessionId;
    return draft;
  }

  /** Adds an estimated cost to a verdict of the agent. */
  pricedVerdict({ usageByModel, ...verdict }: Verdict): Verdict {
    if (!verdict.usage) return verdict;
    return { ...verdict, usage: this.#priced(verdict.usage, usageByModel) };
  }

  /** The usage with an estimated cost, where the agent reports none and the prices are known. */
  #priced(usage: Usage, byModel?: Verdict['usageByModel']): Usage {
    const { model, providerOptions } = this.#options;
    const given = readPrices(providerOptions?.prices);
    return withEstimatedCost(usage, { given, model: this.#usedModel ?? model, byModel });
  }
}
