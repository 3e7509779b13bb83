import { deleteEntry } from '@baton/config/values/delete-entry';
import type { DraftOf, EventDraft } from '../definition/dialect.ts';

/** A message as a dialect knows it when a piece of it arrives. */
export type AssembledMessage = Pick<
  DraftOf<'message.started'>,
  'messageId' | 'kind' | 'parentId' | 'turnId'
> & {
  /** The agent or sub-agent that says it; its messages break off together. */
  speaker?: string | undefined;
};

const BETWEEN_PARTS = '\n\n';

/**
 * Puts messages together from pieces and whole texts: a message starts with its first words, so one without words is
 * never reported. The recorder compares a whole text with its pieces and adds what they missed.
 */
export class MessageAssembly {
  #emit: (draft: EventDraft) => void;
  #open = new Map<string, AssembledMessage & { part: number | undefined }>();

  constructor(emit: (draft: EventDraft) => void) {
    this.#emit = emit;
  }

  /** More of a message. Texts that come in numbered parts are set apart by a blank line. */
  append(message: AssembledMessage, text: string, part = 0): void {
    if (text === '') return;
    const open = this.#started(message);
    const isNextPart = open.part !== undefined && part > open.part;
    open.part = part;
    const { messageId, parentId, turnId } = message;
    const added = isNextPart ? `${BETWEEN_PARTS}${text}` : text;
    this.#emit({ type: 'message.delta', messageId, text: added, parentId, turnId });
  }

  /** The message is complete; without an explicit text it is what was appended. */
  complete(message: AssembledMessage, ...parts: readonly string[]): void {
    const { messageId, parentId, turnId } = message;
    const text = parts.filter((part) => part !== '').join(BETWEEN_PARTS);
    if (text !== '') this.#started(message);
    if (!this.#open.has(messageId)) return;
    this.#open = deleteEntry(this.#open, messageId);
    this.#emit({
      type: 'message.completed',
      messageId,
      text: text || undefined,
      parentId,
      turnId,
    });
  }

  /** Leaves the open messages of a speaker incomplete: the model is asked again. */
  breakOff(speaker: string | undefined): void {
    for (const message of [...this.#open.values()]) {
      if (message.speaker === speaker) this.#breakOff(message);
    }
  }

  breakOffAll(): void {
    for (const message of [...this.#open.values()]) this.#breakOff(message);
  }

  /** Silently forgets open messages: the run is over, and the recorder closes them. */
  clear(): void {
    this.#open.clear();
  }

  #breakOff({ messageId, parentId, turnId }: AssembledMessage): void {
    this.#open = deleteEntry(this.#open, messageId);
    this.#emit({ type: 'message.completed', messageId, incomplete: true, parentId, turnId });
  }

  #started(message: AssembledMessage): { part: number | undefined } {
    const { messageId, kind, parentId, turnId } = message;
    const open = this.#open.get(messageId);
    if (open) return open;
    const started = { ...message, part: undefined };
    this.#open.set(messageId, started);
    this.#emit({ type: 'message.started', messageId, kind, parentId, turnId });
    return started;
  }
}
