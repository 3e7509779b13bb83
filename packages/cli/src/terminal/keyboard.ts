import { isInForeground } from './foreground.ts';

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const CTRL_Z = '\u001a';
const BACKSPACE = '\u007f';
const CTRL_BACKSLASH = '\u001c';
/** Keys that a terminal turns into signals, except in raw mode. */
const SIGNALS: Readonly<Record<string, NodeJS.Signals>> = {
  [CTRL_C]: 'SIGINT',
  [CTRL_Z]: 'SIGTSTP',
  [CTRL_BACKSLASH]: 'SIGQUIT',
};

/** The reaction to a question: typed text, Ctrl-D to decline, or Ctrl-C or a withdrawal. */
export type Typed = { text: string } | 'declined' | 'interrupted';

/**
 * The keyboard during a run. Typed text is not echoed into the answer, and text typed before a question was shown does
 * not answer it.
 */
export class Keyboard {
  #stdin = process.stdin;
  #asked: ((chunk: string) => void) | undefined;
  /** Shows the question and the typed text again. */
  #showAgain: (() => void) | undefined;
  /** A line is being typed, and its editor has the keys. */
  #editing = false;
  #closed = false;

  open(): void {
    // A terminal that goes away says so with SIGHUP.
    this.#stdin.on('error', ignore);
    process.on('SIGCONT', this.#continue);
    this.#continue();
  }

  close(): void {
    this.#closed = true;
    process.off('SIGCONT', this.#continue);
    this.#release();
  }

  /** True if a question is open, with the cursor after it. */
  get isAsking(): boolean {
    return this.#showAgain !== undefined;
  }

  /** Shows a line above an open question and repeats the question; false if none is open. */
  interject(line: string): boolean {
    if (!this.#showAgain) return false;
    process.stdout.write(`\n${line}\n`);
    this.#showAgain();
    return true;
  }

  /** Asks for one of the given keys. */
  key(question: string, keys: string, signal: AbortSignal): Promise<Typed> {
    return this.#ask(question, signal, (chunk, answer) => {
      const key = chunk.toLowerCase();
      if (key === CTRL_C) answer('interrupted');
      else if (key === CTRL_D) answer('declined');
      // Several at once are an arrow, or words that were pasted.
      else if (key.length === 1 && keys.includes(key)) answer({ text: key });
      else this.#raise(chunk);
    });
  }

  /** Asks for a line of text that is not shown, such as a token. */
  async secret(question: string, signal: AbortSignal): Promise<Typed> {
    let text = '';
    const typed = await this.#ask(question, signal, (chunk, answer) => {
      for (const character of chunk) {
        if (character === CTRL_C) return answer('interrupted');
        if (character === CTRL_D) return answer('declined');
        if (character === '\r' || character === '\n') return answer({ text });
        if (character === BACKSPACE) text = text.slice(0, -1);
        else if (character >= ' ') text += character;
      }
    });
    process.stdout.write('\n');
    return typed;
  }

  /** Asks for a line of text. */
  async line(prompt: string, signal: AbortSignal): Promise<Typed> {
    // Loaded only when a request is asked: most runs need no keyboard.
    const { createInterface } = process.getBuiltinModule('node:readline/promises');
    this.#release();
    this.#editing = true;
    this.#stdin.on('data', this.#quit);
    const lines = createInterface({ input: this.#stdin, output: process.stdout, historySize: 0 });
    this.#showAgain = () => lines.prompt(true);
    const over = new AbortController();
    let typed: Typed = 'interrupted';
    lines.once('SIGINT', () => over.abort());
    lines.once('close', () => {
      typed = 'declined';
      over.abort();
    });
    try {
      return {
        text: await lines.question(prompt, { signal: AbortSignal.any([signal, over.signal]) }),
      };
    } catch {
      return typed;
    } finally {
      lines.close();
      this.#stdin.off('data', this.#quit);
      this.#editing = false;
      this.#showAgain = undefined;
      this.#continue();
    }
  }

  /** Shows a question and passes on typed text until there is an answer. */
  async #ask(
    question: string,
    signal: AbortSignal,
    see: (chunk: string, answer: (typed: Typed) => void) => void,
  ): Promise<Typed> {
    if (signal.aborted) return 'interrupted';
    const show = () => void process.stdout.write(question);
    show();
    this.#showAgain = show;
    this.#take();
    const { promise, resolve } = Promise.withResolvers<Typed>();
    const abort = () => resolve('interrupted');
    signal.addEventListener('abort', abort);
    this.#asked = (chunk) => see(chunk, resolve);
    const typed = await promise;
    this.#asked = undefined;
    this.#showAgain = undefined;
    signal.removeEventListener('abort', abort);
    return typed;
  }

  #continue = () => {
    if (!this.#editing && !this.#closed && isInForeground()) this.#take();
  };

  #take(): void {
    this.#stdin.setRawMode(true);
    this.#stdin.off('data', this.#typed).on('data', this.#typed);
    this.#stdin.resume();
  }

  #release(): void {
    this.#stdin.off('data', this.#typed);
    this.#stdin.pause();
    this.#stdin.setRawMode(false);
  }

  #typed = (chunk: Buffer) => {
    const text = String(chunk);
    if (this.#asked) this.#asked(text);
    else this.#raise(text);
  };

  /** The editor of lines knows the other keys itself. */
  #quit = (chunk: Buffer) => {
    if (String(chunk) === CTRL_BACKSLASH) this.#raise(CTRL_BACKSLASH);
  };

  /** Sends the signals that the terminal would have sent for these keys, to the whole process group. */
  #raise(text: string): void {
    for (const character of text) {
      const signal = SIGNALS[character];
      if (signal === undefined) continue;
      if (character === CTRL_Z) this.#release();
      process.kill(0, signal);
    }
  }
}

function ignore(): void {}
