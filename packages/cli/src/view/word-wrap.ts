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
        out += this.#endWord();
        out += this.#column < this.#width() ? character : '';
        this.#column += 1;
        this.#line += character;
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

  #endWord(): string {
    const word = this.#word;
    if (word === '') return '';
    this.#word = '';
    this.#line += word;
    const fits = this.#column === 0 || this.#column + word.length <= this.#width();
    if (fits || this.#inCode || this.#line.startsWith('```')) {
      this.#column = (this.#column + word.length) % Math.max(this.#width(), 1);
      return word;
    }
    this.#column = word.length;
    return `\n${word}`;
  }

  #endLine(): void {
    if (this.#line.startsWith('```')) this.#inCode = !this.#inCode;
    this.#line = '';
    this.#column = 0;
  }
}
