import { textWidth } from './text-width.ts';

/** Breaks a text between words at the width of a terminal; any other stream gets it unchanged. */
export function wrapForTerminal(stream: NodeJS.WriteStream, text: string): string {
  if (!stream.isTTY || !stream.columns) return text;
  const wrap = new WordWrap(() => stream.columns);
  return wrap.push(text) + wrap.end();
}

/** Breaks streaming text between words instead of inside them; code blocks stay as they are. */
export class WordWrap {
  #width: () => number;
  #column = 0;
  #word = '';
  #line = '';
  #inCode = false;

  constructor(width: () => number) {
    this.#width = width;
  }

  /** Adds text and returns what can be printed of it; an unfinished word is buffered. */
  push(text: string): string {
    let out = '';
    for (const character of text) {
      if (character === '\n') {
        out += this.#endWord() + character;
        this.#endLine();
      } else if (character === ' ') {
        out += this.#endWord() + this.#space();
      } else {
        this.#word += character;
      }
    }
    return out;
  }

  /** Returns the buffered rest. */
  end(): string {
    const out = this.#endWord();
    this.#endLine();
    this.#inCode = false;
    return out;
  }

  /** A space at the edge would begin the next line. */
  #space(): string {
    this.#line += ' ';
    if (this.#isCode()) return ' ';
    if (this.#column >= this.#width()) return '';
    this.#column += 1;
    return ' ';
  }

  #endWord(): string {
    const word = this.#word;
    if (word === '') return '';
    this.#word = '';
    this.#line += word;
    if (this.#isCode()) return word;
    const width = textWidth(word);
    const fits = this.#column === 0 || this.#column + width <= this.#width();
    const end = (fits ? this.#column : 0) + width;
    // The terminal itself breaks a word that is longer than a line.
    this.#column = end === 0 ? 0 : ((end - 1) % Math.max(this.#width(), 1)) + 1;
    return fits ? word : `\n${word}`;
  }

  #isCode(): boolean {
    return this.#inCode || this.#line.startsWith('```');
  }

  #endLine(): void {
    if (this.#line.startsWith('```')) this.#inCode = !this.#inCode;
    this.#line = '';
    this.#column = 0;
  }
}
