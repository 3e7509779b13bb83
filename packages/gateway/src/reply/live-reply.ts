import type { WarningLog } from '@baton/contracts';
import { type AgentEvent, BatonError, delay } from '@baton/protocol';
import type { ChannelAdapter } from '../channel-adapter.ts';
import type { GatewayEvent } from '../queue/gateway-event.ts';
import type { Turn } from '../queue/message-queue.ts';
import { LiveText } from './live-text.ts';

/** An answer that is ready sooner is sent without a draft. */
const FIRST_DRAFT_MS = 1000;
/** The indicator is renewed before it ends. */
const TYPING_RENEWAL = 0.8;

type LiveReplyOptions = {
  adapter: ChannelAdapter;
  event: GatewayEvent;
  turn: Turn;
  log: WarningLog;
  firstDraftMs?: number | undefined;
};

/**
 * Shows in the chat that the agent works and what it writes: a typing indicator, and a draft that is edited as it
 * grows.
 */
export class LiveReply {
  #options: LiveReplyOptions;
  #text = new LiveText();
  #shown = '';
  #ended = new AbortController();
  #work: Promise<unknown>[] = [];
  #changed = Promise.withResolvers<void>();
  /** Problems are logged once per message. */
  #hasWarned = false;

  constructor(options: LiveReplyOptions) {
    this.#options = options;
    this.#work = [this.#keepTyping(), this.#keepDraft()];
  }

  see(event: AgentEvent): void {
    this.#text.see(event);
    this.#changed.resolve();
  }

  /** Returns the final text of the draft if the answer is sent below it. */
  summary(isFailed: boolean): string {
    const { limits, mentions } = this.#options.adapter;
    return this.#text.summary(limits.messageLength, mentions, isFailed);
  }

  /** True if the agent wrote something that its answer does not contain. */
  get hasMore(): boolean {
    return this.#text.hasEarlier;
  }

  /** Called when the prompt runs again. */
  restart(): void {
    this.#text.restart();
    this.#changed.resolve();
  }

  /** Resolves when no more drafts are sent: the answer can follow. */
  async end(): Promise<void> {
    this.#ended.abort();
    this.#changed.resolve();
    await Promise.all(this.#work);
  }

  async #keepTyping(): Promise<void> {
    const { adapter, event } = this.#options;
    const { typingMs } = adapter.limits;
    if (typingMs === 0) return;
    do {
      try {
        await adapter.showTyping(event.channelId);
      } catch (error) {
        if (!this.#canContinueAfter(error)) return;
      }
    } while (await delay(TYPING_RENEWAL * typingMs, this.#ended.signal));
  }

  async #keepDraft(): Promise<void> {
    const { adapter, firstDraftMs = FIRST_DRAFT_MS } = this.#options;
    const { signal } = this.#ended;
    let pauseMs = firstDraftMs;
    for (;;) {
      await this.#changed.promise;
      if (!(await delay(pauseMs, signal))) return;
      this.#changed = Promise.withResolvers();
      try {
        await this.#write();
      } catch (error) {
        if (!this.#canContinueAfter(error)) return;
      }
      pauseMs = adapter.limits.editIntervalMs;
    }
  }

  async #write(): Promise<void> {
    const { adapter, event, turn } = this.#options;
    const text = this.#text.render(adapter.limits.messageLength, adapter.mentions);
    if (text === '' || text === this.#shown) return;
    const [draft] = turn.sent;
    if (draft) await adapter.edit(event.channelId, draft, { text, isDraft: true });
    else {
      const message = { text, isDraft: true, replyTo: event.messageId };
      // If its id is lost, the answer has the same nonce and must not be taken for this draft.
      await turn.storeSent(0, '');
      await turn.storeSent(0, await adapter.send(event.channelId, message, `${turn.id}0`));
    }
    this.#shown = text;
  }

  /** The answer itself is sent in any case. */
  #canContinueAfter(error: unknown): boolean {
    const reason = error instanceof Error ? error.message : String(error);
    if (!this.#hasWarned) {
      this.#options.log.warn(`Cannot show in the chat that the agent works: ${reason}`);
    }
    this.#hasWarned = true;
    return BatonError.is(error) && error.retryable;
  }
}
