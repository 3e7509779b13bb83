import type { Button } from '../../channel-adapter.ts';
import { safeLabel } from './safe-text.ts';

type Rows = readonly (readonly Button[])[];

/** A message whose buttons can be pressed. */
type OpenChoice = { readonly messageId: string; readonly buttons: readonly Button[] };

/** The messages with buttons. A typed number presses a button of the newest one. */
export class Choices {
  /** The oldest first. */
  #open = new Map<string, OpenChoice>();

  /** Sets the buttons of a message; without any it is closed. */
  set(messageId: string, rows: Rows | undefined): void {
    const buttons = rows?.flat() ?? [];
    const values = valuesOf(buttons);
    if (buttons.length === 0) this.#open.delete(messageId);
    else if (valuesOf(this.#open.get(messageId)?.buttons ?? []) !== values) {
      this.#open.set(messageId, { messageId, buttons });
    }
  }

  /** What numbers refer to. It is another object after every change. */
  get current(): OpenChoice | undefined {
    return [...this.#open.values()].at(-1);
  }

  /** The button that a line of input presses, if it is the number of one. */
  find(line: string): { messageId: string; value: string } | undefined {
    const open = this.current;
    if (!open || !/^[1-9]\d{0,2}$/.test(line)) return undefined;
    const button = open.buttons[Number(line) - 1];
    return button && { messageId: open.messageId, value: button.value };
  }
}

/** The numbered buttons, one line for each of their rows. */
export function choiceLines(rows: Rows | undefined): string[] {
  let number = 0;
  return (rows ?? [])
    .filter((row) => row.length > 0)
    .map((row) => row.map(({ label }) => `[${++number}] ${safeLabel(label)}`).join('  '));
}

function valuesOf(buttons: readonly Button[]): string {
  return JSON.stringify(buttons.map(({ value }) => value));
}
