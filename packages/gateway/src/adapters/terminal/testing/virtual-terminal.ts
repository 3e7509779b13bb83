import { Writable } from 'node:stream';
import { eastAsianWidth } from 'get-east-asian-width';

const ESCAPE = '\u001b';
const SEQUENCE = new RegExp(`^${ESCAPE}\\[(?:(\\d*)([A-DGJ])|\\?2004([hl]))`);

/** A terminal that remembers what it shows, for tests. It knows only what readline writes, and fails on anything else. */
export class VirtualTerminal extends Writable {
  readonly isTTY = true;
  readonly columns: number;
  readonly rows: number;
  /** Everything that was written. */
  raw = '';
  /** Bracketed paste mode. */
  marksPastes = false;
  #cells: string[][] = [[]];
  #row = 0;
  /** Equal to `columns` after a full row, until the next character wraps. */
  #column = 0;

  constructor(columns: number, rows: number) {
    super({ decodeStrings: false });
    this.columns = columns;
    this.rows = rows;
  }

  override _write(chunk: string | Buffer, _encoding: string, done: () => void): void {
    this.show(String(chunk));
    done();
  }

  /** The rows, also those above the visible ones, without blanks at their ends. */
  get lines(): string[] {
    const lines = this.#cells.map((cells) =>
      Array.from(cells, (cell = ' ') => cell)
        .join('')
        .trimEnd(),
    );
    while (lines.at(-1) === '') lines.pop();
    return lines;
  }

  get cursor(): { row: number; column: number } {
    return { row: this.#row, column: this.#column };
  }

  show(text: string): void {
    this.raw += text;
    let rest = text;
    while (rest !== '') {
      const sequence = SEQUENCE.exec(rest);
      if (sequence?.[3]) this.marksPastes = sequence[3] === 'h';
      else if (sequence) this.#obey(sequence[2] ?? '', Number(sequence[1] || '0'));
      const character = sequence?.[0] ?? String.fromCodePoint(rest.codePointAt(0) ?? 0);
      if (!sequence) this.#print(character);
      rest = rest.slice(character.length);
    }
  }

  #obey(command: string, number: number): void {
    const top = Math.max(0, this.#cells.length - this.rows);
    const count = number || 1;
    this.#column = Math.min(this.#column, this.columns - 1);
    if (command === 'A') this.#row = Math.max(top, this.#row - count);
    if (command === 'B') this.#row = Math.min(this.#cells.length - 1, this.#row + count);
    if (command === 'C') this.#column = Math.min(this.columns - 1, this.#column + count);
    if (command === 'D') this.#column = Math.max(0, this.#column - count);
    if (command === 'G') this.#column = Math.min(count, this.columns) - 1;
    if (command === 'J') {
      this.#cells[this.#row]?.splice(this.#column);
      for (const cells of this.#cells.slice(this.#row + 1)) cells.length = 0;
    }
  }

  #print(character: string): void {
    if (character === '\r') {
      this.#column = 0;
      return;
    }
    if (character === '\n') {
      this.#nextRow();
      return;
    }
    if (character < ' ' || (character >= '\u007f' && character < '\u00a0')) {
      throw new Error(`Unknown control character ${JSON.stringify(character)}`);
    }
    const width = eastAsianWidth(character.codePointAt(0) ?? 0);
    if (this.#column + width > this.columns) this.#nextRow();
    const cells = this.#cells[this.#row];
    if (!cells) return;
    for (let column = cells.length; column < this.#column; column++) cells[column] = ' ';
    cells[this.#column] = character;
    if (width === 2) cells[this.#column + 1] = '';
    this.#column += width;
  }

  #nextRow(): void {
    this.#row += 1;
    this.#column = 0;
    this.#cells[this.#row] ??= [];
  }
}
