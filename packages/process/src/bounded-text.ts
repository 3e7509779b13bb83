const HEAD_BYTES = 8 * 1024;
const TAIL_BYTES = 56 * 1024;

/** Keeps the beginning and the end of an output of any length, and says how much is missing between. */
export class BoundedText {
  #head = Buffer.alloc(0);
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #droppedBytes = 0;

  /** Takes the next bytes. */
  push(chunk: Buffer): void {
    const room = HEAD_BYTES - this.#head.length;
    if (room > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, room)]);
    if (chunk.length <= room) return;
    this.#tail.push(chunk.subarray(room));
    this.#tailBytes += chunk.length - room;
    // The second limit is for a drip of single bytes, each of which would stay an object.
    if (this.#tailBytes >= 2 * TAIL_BYTES || this.#tail.length >= 1024) this.#trimTail();
  }

  /** Returns the kept parts as text. */
  toString(): string {
    const tail = this.#trimTail();
    if (this.#droppedBytes === 0) return Buffer.concat([this.#head, tail]).toString('utf8');
    return `${this.#head.toString('utf8')}\n[${this.#droppedBytes} bytes omitted]\n${tail.toString('utf8')}`;
  }

  #trimTail(): Buffer {
    const joined = Buffer.concat(this.#tail);
    const kept = Buffer.from(joined.subarray(Math.max(0, joined.length - TAIL_BYTES)));
    this.#droppedBytes += joined.length - kept.length;
    this.#tail = [kept];
    this.#tailBytes = kept.length;
    return kept;
  }
}
