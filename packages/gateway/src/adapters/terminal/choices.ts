import type { Button } from '../../channel-adapter.ts';
import { safeLabel } from './safe-text.ts';

type Rows = readonly (readonly Button[])[];

/** The buttons of a message: the first one has this number, and the others follow. */
type OpenChoice = { readonly first: number; readonly values: readonly string[] };

/** The buttons that can be pressed. Each has a number of its own, whichever message it belongs to. */
export class Choices {
  #open = new Map<string, OpenChoice>();

  get isEmpty(): boolean {
    return this.#open.size === 0;
  }

  /** Sets the buttons of a message, if any. The same ones keep their numbers. Returns true if something has changed. */
  set(messageId: string, rows: Rows | undefined): boolean {
    const values = rows?.flat().map(({ value }) => value) ?? [];
    const before = this.#open.get(messageId)?.values ?? [];
    if (JSON.stringify(values) === JSON.stringify(before)) return false;
    this.#open.delete(messageId);
    const first = this.#lastNumber + 1;
    if (values.length > 0) this.#open.set(messageId, { first, values });
    return true;
  }

  /** The button with a number. */
  find(number: number): { messageId: string; value: string } | undefined {
    for (const [messageId, { first, values }] of this.#open) {
      const value = values[number - first];
      if (value !== undefined) return { messageId, value };
    }
    return undefined;
  }

  /** The numbered buttons of a message, one line for each of their rows. */
  linesOf(messageId: string, rows: Rows | undefined): string[] {
    let number = this.#open.get(messageId)?.first ?? 1;
    return (rows ?? [])
      .filter((row) => row.length > 0)
      .map((row) => row.map(({ label }) => `[${number++}] ${safeLabel(label)}`).join('  '));
  }

  /** 0 if there are no buttons. */
  get #lastNumber(): number {
    return Math.max(
      0,
      ...[...this.#open.values()].map(({ first, values }) => first + values.length - 1),
    );
  }
}
