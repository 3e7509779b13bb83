import { randomId } from '@baton/client';

/** Names a prompt before it is sent: sent once more, because the answer got lost, it is the same. */
export class PromptId {
  #text = '';
  #id = '';

  /** The same one for the same words, until they have arrived. */
  of(text: string): string {
    if (text !== this.#text || this.#id === '') this.#id = randomId();
    this.#text = text;
    return this.#id;
  }

  /** The prompt has arrived: the same words would be another one. */
  arrived(): void {
    this.#id = '';
  }
}
