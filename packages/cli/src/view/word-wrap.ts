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

  /** Takes more text and gives what can be printed of it; an unfinished word is held back. */
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

  /** Gives what was held back. */
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
    const fits = this.#column === 0 || this.#column + word.length <= this.#width();
    const end = (fits ? this.#column : 0) + word.length;
    // The terminal itself breaks a word that is longer than a line.
    this.#column = ((end - 1) % Math.max(this.#width(), 1)) + 1;
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
