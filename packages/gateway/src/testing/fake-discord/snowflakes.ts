const DISCORD_EPOCH = 1_420_070_400_000n;

/** Makes ids like those of Discord: 64-bit integers that grow with time. */
export class Snowflakes {
  #last = 0n;

  next(): string {
    const now = (BigInt(Date.now()) - DISCORD_EPOCH) << 22n;
    this.#last = now > this.#last ? now : this.#last + 1n;
    return String(this.#last);
  }
}
