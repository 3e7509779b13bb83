import type { EventDraft } from '../../dialect.ts';
import { without } from '../../without.ts';
import { type Place, placed } from './threads.ts';

type Kind = 'text' | 'thinking';
type OpenMessage = { kind: Kind; place: Place; part: number };

const BETWEEN_PARTS = '\n\n';

/** The messages of an app server: what the agent says and thinks, as it comes. */
export class Speech {
  #emit: (draft: EventDraft) => void;
  #open = new Map<string, OpenMessage>();

  constructor(emit: (draft: EventDraft) => void) {
    this.#emit = emit;
  }

  /** More of a message; thoughts come in numbered parts. */
  say(messageId: string, kind: Kind, text: string, place: Place, part = 0): void {
    if (text === '') return;
    this.#start(messageId, kind, place);
    const message = this.#open.get(messageId);
    if (!message) return;
    const isNextPart = message.part !== -1 && part > message.part;
    message.part = part;
    const more = isNextPart ? `${BETWEEN_PARTS}${text}` : text;
    this.#emit({ type: 'message.delta', messageId, text: more, ...placed(place) });
  }

  /** The message is whole; one of which nothing was said and nothing is known is not worth mentioning. */
  complete(messageId: string, kind: Kind, parts: readonly string[], place: Place): void {
    const text = parts.filter((part) => part !== '').join(BETWEEN_PARTS);
    if (text !== '') this.#start(messageId, kind, place);
    if (!this.#open.has(messageId)) return;
    this.#open = without(this.#open, messageId);
    // Without a text of its own the message is what was said of it.
    this.#emit({ type: 'message.completed', messageId, text: text || undefined, ...placed(place) });
  }

  /** The answer broke off and is asked for again: what had begun stays as it is. */
  breakOff(threadId: string): void {
    for (const [messageId, { place }] of [...this.#open]) {
      if (place.threadId !== threadId) continue;
      this.#open = without(this.#open, messageId);
      this.#emit({ type: 'message.completed', messageId, incomplete: true, ...placed(place) });
    }
  }

  /** Forgets what was open: the turn is over and the recorder ends it. */
  reset(): void {
    this.#open.clear();
  }

  #start(messageId: string, kind: Kind, place: Place): void {
    if (this.#open.has(messageId)) return;
    this.#open.set(messageId, { kind, place, part: -1 });
    this.#emit({ type: 'message.started', messageId, kind, ...placed(place) });
  }
}
