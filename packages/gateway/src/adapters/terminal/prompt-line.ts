import {
  clearScreenDown,
  createInterface,
  cursorTo,
  type Interface,
  type Key,
  moveCursor,
} from 'node:readline';
import { cursorAfter } from './cursor.ts';
import type { InputLine } from './screen.ts';

const PROMPT = '> ';
/** Shown while a message continues in the next line. */
const CONTINUED = '... ';
const DEFAULT_COLUMNS = 80;
/** Bracketed paste: the terminal sends a mark before and after pasted text. */
const MARK_PASTES = '\u001b[?2004h';
const DO_NOT_MARK_PASTES = '\u001b[?2004l';

type Streams = {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream & { columns?: number };
};

/** The line that a user types in a terminal. Output above it leaves it and its cursor as they are. */
export class PromptLine implements InputLine {
  /** `prevRows` is not documented: how many rows the cursor is below the first one of the line. */
  readonly lines: Interface & { prevRows?: number };
  #input: Streams['input'];
  #output: Streams['output'];
  #prompt = PROMPT;
  #isOpen = true;
  #isPasting = false;

  constructor({ input, output }: Streams) {
    this.#input = input;
    this.#output = output;
    this.lines = createInterface({ input, output, prompt: PROMPT, terminal: true });
    input.on('keypress', this.#onKey);
    this.lines.on('SIGCONT', this.#onContinue);
    output.write(MARK_PASTES);
  }

  /** True while pasted text arrives: a line that ends now was not ended by the user. */
  get isPasting(): boolean {
    return this.#isPasting;
  }

  get isEmpty(): boolean {
    return this.lines.line === '';
  }

  get rows(): number {
    return this.#isOpen ? this.#end(this.lines.line).row + 1 : 1;
  }

  hide(): void {
    if (!this.#isOpen) return;
    moveCursor(this.#output, 0, -this.lines.getCursorPos().rows);
    cursorTo(this.#output, 0);
    clearScreenDown(this.#output);
  }

  show(): void {
    if (!this.#isOpen) return;
    // readline would go up to where the line began before.
    this.lines.prevRows = 0;
    this.lines.prompt(true);
  }

  /** Shows an empty line to type the next message, or the next line of one. */
  next({ isContinued }: { isContinued: boolean }): void {
    if (!this.#isOpen) return;
    this.#prompt = isContinued ? CONTINUED : PROMPT;
    this.lines.setPrompt(this.#prompt);
    this.lines.prompt();
  }

  /** What the screen shows of a line after it was typed. */
  echoOf(line: string): string {
    // readline starts a new row when one is full, and Enter starts another.
    const isFull = this.#end(line).column === this.#columns;
    return `${this.#prompt}${line}\n${isFull ? '\n' : ''}`;
  }

  /** Erases the line for good. */
  close(): void {
    if (!this.#isOpen) return;
    this.hide();
    this.#output.write(DO_NOT_MARK_PASTES);
    this.#isOpen = false;
    this.#input.off('keypress', this.#onKey);
    this.lines.close();
  }

  #onKey = (_text: string | undefined, { name }: Key): void => {
    if (name === 'paste-start') this.#isPasting = true;
    if (name === 'paste-end') this.#isPasting = false;
    // readline does not count the rows of pasted text, and would repeat them at the next key.
    this.lines.prevRows = this.lines.getCursorPos().rows;
  };

  /** After Ctrl-Z and `fg`: the shell has changed the mode of the terminal, and readline has paused its input. */
  #onContinue = (): void => {
    if (!this.#isOpen) return;
    this.#output.write(MARK_PASTES);
    this.show();
  };

  #end(line: string) {
    return cursorAfter(`${this.#prompt}${line}`, this.#columns);
  }

  get #columns(): number {
    return this.#output.columns || DEFAULT_COLUMNS;
  }
}
