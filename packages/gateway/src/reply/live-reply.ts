import { type AgentEvent, delay } from '@baton/protocol';
import type { WarningLog } from '@baton/runtime/contracts';
import type { ChannelAdapter } from '../channel-adapter.ts';
import type { Turn } from '../queue/event-queue.ts';
import type { GatewayEvent } from '../queue/gateway-event.ts';
import { LiveText } from './live-text.ts';

/** An answer that is ready sooner is sent without a draft. */
const FIRST_DRAFT_MS = 1000;
/** The indicator is renewed before it ends. */
const TYPING_RENEWAL = 0.8;

export type LiveReplyOptions = {
  adapter: ChannelAdapter;
  event: GatewayEvent;
  turn: Turn;
  log: WarningLog;
  firstDraftMs?: number | undefined;
};

/** Shows in the chat that the agent works and what it says: a typing indicator, and a draft that is edited as it grows. */
export class LiveReply {
  #options: LiveReplyOptions;
  #text = new LiveText();
  #shown = '';
  #ended = new AbortController();
  #work: Promise<unknown>[] = [];
  #changed = Promise.withResolvers<void>();

  constructor(options: LiveReplyOptions) {
    this.#options = options;
    this.#work = [this.#keepTyping(), this.#keepDraft()];
  }

  see(event: AgentEvent): void {
    this.#text.see(event);
    this.#changed.resolve();
  }

  /** The prompt runs again. */
  restart(): void {
    this.#text.restart();
    this.#changed.resolve();
  }

  /** Ends when nothing more is sent: what follows is the answer. */
  async end(): Promise<void> {
    this.#ended.abort();
    this.#changed.resolve();
    await Promise.all(this.#work);
  }

  async #keepTyping(): Promise<void> {
    const { adapter, event, log } = this.#options;
    const { typingMs } = adapter.limits;
    if (typingMs === 0) return;
    do {
      try {
        await adapter.showTyping(event.channelId);
      } catch (error) {
        return log.warn(`Cannot show that the agent works: ${messageOf(error)}`);
      }
    } while (await delay(TYPING_RENEWAL * typingMs, this.#ended.signal));
  }

  async #keepDraft(): Promise<void> {
    const { adapter, log, firstDraftMs = FIRST_DRAFT_MS } = this.#options;
    const { signal } = this.#ended;
    let pauseMs = firstDraftMs;
    for (;;) {
      await this.#changed.promise;
      if (!(await delay(pauseMs, signal))) return;
      this.#changed = Promise.withResolvers();
      try {
        await this.#write();
      } catch (error) {
        // The answer itself is sent in any case.
        return log.warn(`Cannot show a draft: ${messageOf(error)}`);
      }
      pauseMs = adapter.limits.editIntervalMs;
    }
  }

  async #write(): Promise<void> {
    const { adapter, event, turn } = this.#options;
    const text = this.#text.render(adapter.limits.messageLength, adapter.mentions);
    if (text === '' || text === this.#shown) return;
    this.#shown = text;
    const [draft] = turn.sent;
    if (draft !== undefined) {
      return adapter.edit(event.channelId, draft, { text, isDraft: true });
    }
    const message = { text, isDraft: true, replyTo: event.messageId };
    const id = await adapter.send(event.channelId, message, `${turn.id}0`);
    await turn.storeSent(0, id);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
