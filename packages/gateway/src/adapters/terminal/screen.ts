import { clearScreenDown, cursorTo, moveCursor } from 'node:readline';
import { rewrite } from './cursor.ts';

const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;
/** How many messages and typed lines are remembered: more than fit on most screens. */
const REMEMBERED = 100;

/** A message as it is shown. */
export type ShownMessage = {
  /** The text, without control characters. */
  readonly body: string;
  /** The numbered buttons below it. */
  readonly choices: readonly string[];
  readonly isDraft: boolean;
};

/** Shows messages. */
export interface Screen {
  /** Shows a new message, or the new state of one. */
  show(messageId: string, message: ShownMessage): void;
  /** Shows a text that is no message. */
  note(text: string): void;
}

/** The line that the user types at the bottom of a screen. */
export type InputLine = {
  /** How many rows it takes; the cursor is in one of them. */
  readonly rows: number;
  /** Erases it and leaves the cursor where it began. */
  hide(): void;
  /** Shows it again from the start of a row. */
  show(): void;
};

/** An output that cannot be changed, such as a pipe or a file: it gets final texts, each once. */
export class PlainScreen implements Screen {
  #write: (text: string) => void;
  /** The last text of each message. */
  #shown = new Map<string, string>();

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  show(messageId: string, { body, choices, isDraft }: ShownMessage): void {
    if (isDraft) return;
    const isNews = this.#shown.get(messageId) !== body;
    this.#shown.delete(messageId);
    this.#shown.set(messageId, body);
    for (const id of this.#shown.keys()) {
      if (this.#shown.size <= REMEMBERED) break;
      this.#shown.delete(id);
    }
    if (isNews || choices.length > 0) this.#write(linesOf({ body, choices }));
  }

  note(text: string): void {
    this.#write(`${text}\n`);
  }
}

type Block = {
  readonly messageId?: string | undefined;
  readonly body: string;
  readonly text: string;
};

/** A terminal: messages change in place as long as they are visible, above the line that the user types. */
export class LiveScreen implements Screen {
  #output: NodeJS.WritableStream & { columns?: number; rows?: number };
  #write: (text: string) => void;
  #input: InputLine | undefined;
  /** What was printed last, the oldest first. Each text ends with a line feed, and the cursor is after the last one. */
  #blocks: Block[] = [];

  constructor(output: NodeJS.WritableStream, write: (text: string) => void) {
    this.#output = output;
    this.#write = write;
  }

  /** Prints above this line from now on. */
  setInput(input: InputLine): void {
    this.#input = input;
  }

  show(messageId: string, message: ShownMessage): void {
    const block = { messageId, body: message.body, text: linesOf(message) };
    const index = this.#blocks.findIndex((each) => each.messageId === messageId);
    if (index === -1) this.#append(block);
    else if (!this.#replace(index, block)) this.#replaceUnseen(index, block, message.isDraft);
  }

  note(text: string): void {
    this.#append({ body: text, text: `${text}\n` });
  }

  /** Takes note of a line that the user has typed: it is above the cursor now. */
  typed(text: string): void {
    this.#remember({ body: text, text });
  }

  #append(block: Block): void {
    this.#aboveInput(() => this.#write(block.text));
    this.#remember(block);
  }

  /** False if the change begins above the visible part of the screen, where nothing can be changed. */
  #replace(index: number, block: Block): boolean {
    const following = this.#blocks.slice(index + 1);
    const shown = textOf(this.#blocks.slice(index));
    const { columns = DEFAULT_COLUMNS, rows = DEFAULT_ROWS } = this.#output;
    const wanted = textOf([block, ...following]);
    if (shown !== wanted) {
      const { up, column, rest } = rewrite(shown, wanted, Math.max(columns, 1));
      if (up > rows - (this.#input?.rows ?? 1)) return false;
      this.#aboveInput(() => {
        moveCursor(this.#output, 0, -up);
        cursorTo(this.#output, column);
        clearScreenDown(this.#output);
        this.#write(rest);
      });
    }
    this.#blocks[index] = block;
    return true;
  }

  /** Prints a final text once more, at the end; the old one stays in the scrollback. */
  #replaceUnseen(index: number, block: Block, isDraft: boolean): void {
    if (isDraft || this.#blocks[index]?.body === block.body) return;
    // The old text is still between its neighbors, so it is remembered, but as no message.
    this.#blocks[index] = { ...block, text: this.#blocks[index]?.text ?? '', messageId: undefined };
    this.#append(block);
  }

  #aboveInput(act: () => void): void {
    this.#input?.hide();
    act();
    this.#input?.show();
  }

  #remember(block: Block): void {
    this.#blocks = [...this.#blocks, block].slice(-REMEMBERED);
  }
}

function textOf(blocks: readonly Block[]): string {
  return blocks.map(({ text }) => text).join('');
}

function linesOf({ body, choices }: Pick<ShownMessage, 'body' | 'choices'>): string {
  const parts = body === '' ? choices : [body, ...choices];
  return parts.map((part) => `${part}\n`).join('');
}
