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

/** `crypto.randomUUID` is not there for pages at addresses without encryption. */
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const variant = '89ab'[(bytes[8] ?? 0) & 3];
  const parts = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20),
  ];
  return parts.join('-');
}
