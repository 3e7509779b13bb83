import { randomBytes } from 'node:crypto';
import { createInterface, type Interface } from 'node:readline';
import { withoutLastBreaks } from '@baton/protocol';
import type {
  Button,
  ChannelAdapter,
  ChannelLimits,
  ChannelReceiver,
  IncomingMessage,
  OutgoingMessage,
  SentFile,
} from '../../channel-adapter.ts';
import type { Sender } from '../../config/access.ts';
import type { MentionRules } from '../../text/mentions.ts';
import { safeLabel, safeRequest, safeText } from './safe-text.ts';

const CHANNEL = 'terminal:local';
const MB = 1024 * 1024;
/** The number of messages and nonces to remember. */
const REMEMBERED = 1000;
/** A line that presses a button. Text that is pasted, such as a list of numbers, must not press one. */
const PRESS = /^[ \t]*\/(\d{1,6})[ \t]*$/;

const WELCOME =
  'Type a message and press Enter. /help lists commands, Ctrl-D ends the conversation.';
/** The line at the end of a draft whose answer is another message. */
const NOTE = /^(?:🔧 .*|💬 The answer is below\.)$/u;
/** The line about running tools at the end of a draft. */
const PROGRESS = /\n*⏳ [^\n]*$/;

const LIMITS: ChannelLimits = {
  messageLength: 100_000,
  sendIntervalMs: 0,
  editIntervalMs: 200,
  typingMs: 0,
  sentFileBytes: 100 * MB,
  receivedFileBytes: 0,
  buttonsPerRow: 5,
  buttonRows: 20,
  buttonLabelLength: 80,
  buttonValueBytes: 1000,
  acknowledgeMs: 60_000,
};

export type TerminalAdapterOptions = {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  /** The id of the user at the terminal. */
  userId?: string | undefined;
};

/** A button that can be pressed by its number. */
type OpenButton = { messageId: string; value: string };

/**
 * A terminal, a pipe or a file as a chat channel of plain lines: each line of the input is a message, and answers are
 * printed once. On a terminal they are printed while they grow.
 */
export class TerminalAdapter implements ChannelAdapter {
  readonly platform = 'terminal';
  readonly limits = LIMITS;
  /** Nothing in a terminal notifies anyone. */
  readonly mentions: MentionRules = { pattern: /(?!)/g };
  #options: TerminalAdapterOptions;
  #sender: Sender;
  #lines: Interface | undefined;
  #receiver: ChannelReceiver | undefined;
  /** The buttons by number. A number is never used again: one that is typed late must not press another button. */
  #buttons = new Map<number, OpenButton>();
  #lastButton = 0;
  /** The printed text of each message. */
  #printed = new Map<string, string>();
  /** The draft at the end of the output, which may continue there. */
  #growing: string | undefined;
  /** The beginning of an answer at the end of the output, and the line about the draft that it was part of. */
  #begun: { text: string; note: string } | undefined;
  /** True while the last line has no line break. */
  #isOpen = false;
  /** The lines of a message that continues in the next line. */
  #unfinished: string[] = [];
  /** Settles when everything that was typed is handed over. */
  #handedOver: Promise<void> = Promise.resolve();
  #sent = new Map<string, string>();
  #lastTime = 0;
  #isStopped = false;

  constructor(options: TerminalAdapterOptions) {
    this.#options = options;
    this.#sender = { userId: options.userId ?? CHANNEL, channelId: CHANNEL, isDirect: false };
  }

  async start(receiver: ChannelReceiver): Promise<void> {
    this.#receiver = receiver;
    // The terminal itself edits the line that is typed, so that Ctrl-C and Ctrl-Z work as everywhere.
    const { input, output } = this.#options;
    this.#lines = createInterface({ input, crlfDelay: Infinity, terminal: false });
    this.#lines.on('line', (line) => this.#onLine(line));
    this.#lines.once('close', () => this.#onEndOfInput());
    // For example a terminal that went away.
    this.#lines.on('error', (error) => this.#end(error));
    if (isTerminal(input) && isTerminal(output)) this.note(WELCOME);
  }

  /** A terminal has no history. */
  async *messagesAfter(): AsyncIterable<IncomingMessage> {}

  async send(_channelId: string, message: OutgoingMessage, nonce: string): Promise<string> {
    const before = this.#sent.get(nonce);
    if (before !== undefined) return before;
    const id = this.#newId();
    remember(this.#sent, nonce, id);
    // Before the buttons: users read what they decide about.
    for (const file of message.files ?? []) this.#showFile(file);
    this.#show(id, message);
    await this.#written();
    return id;
  }

  async edit(
    _channelId: string,
    messageId: string,
    message: Pick<OutgoingMessage, 'text' | 'buttons' | 'isDraft'>,
  ): Promise<void> {
    this.#show(messageId, message);
    await this.#written();
  }

  async showTyping(): Promise<void> {}

  async download(): Promise<Uint8Array> {
    throw new Error('Messages of a terminal have no files.');
  }

  /** Prints a text that is no message, such as a warning. */
  note(text: string): void {
    this.#print(withoutLastBreaks(safeText(text)));
    this.#endLine();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#lines?.close();
    await this.#handedOver;
    // An output that is gone has nothing left to write.
    await this.#written().catch(() => {});
  }

  #show(id: string, { text, buttons, isDraft = false }: OutgoingMessage): void {
    if (isDraft) return this.#grow(id, safeText(text.replace(PROGRESS, '')));
    const choices = this.#offer(id, buttons ?? []);
    const body = withoutLastBreaks(choices.length > 0 ? safeRequest(text) : safeText(text));
    const before = this.#printed.get(id) ?? '';
    const isGrowing = this.#growing === id;
    const begun = isGrowing && choices.length === 0 ? begunIn(before, body) : undefined;
    if (begun) {
      remember(this.#printed, id, body);
      this.#growing = undefined;
      this.#begun = begun;
      return;
    }
    if (this.#begun && before === '' && body.startsWith(this.#begun.text)) {
      const { text: said, note } = this.#begun;
      this.#begun = undefined;
      this.#write(body.slice(said.length));
      if (note !== '') this.#print(note);
    } else if (isGrowing && body.startsWith(before)) this.#write(body.slice(before.length));
    // A draft has all that the agent said, the answer only the end of it.
    else if (isGrowing ? !before.endsWith(body) : body !== before) {
      this.#print(isGrowing ? body : additionTo(before, body));
    }
    remember(this.#printed, id, body);
    this.#endLine();
    for (const row of choices) this.#write(`${row}\n`);
  }

  /** Prints what a draft has gained, if it is still at the end of the output. */
  #grow(id: string, body: string): void {
    const before = this.#printed.get(id) ?? '';
    const canGrow = before === '' || this.#growing === id;
    const { output } = this.#options;
    if (!isTerminal(output) || !canGrow || body === before || !body.startsWith(before)) return;
    if (this.#growing === id) this.#write(body.slice(before.length));
    else this.#print(body);
    this.#growing = id;
    remember(this.#printed, id, body);
  }

  /** Numbers the buttons of a message, which replace those it had; the same ones keep their numbers. */
  #offer(messageId: string, rows: readonly (readonly Button[])[]): string[] {
    const before = [...this.#buttons].filter(([, open]) => open.messageId === messageId);
    for (const [number] of before) this.#buttons.delete(number);
    const numberOf = (value: string) => {
      const [known] = before.find(([, open]) => open.value === value) ?? [];
      if (known === undefined) this.#lastButton += 1;
      return known ?? this.#lastButton;
    };
    return rows
      .filter((row) => row.length > 0)
      .map((row) =>
        row
          .map(({ label, value }) => {
            const number = numberOf(value);
            this.#buttons.set(number, { messageId, value });
            return `[/${number}] ${safeLabel(label)}`;
          })
          .join('  '),
      );
  }

  #onLine(line: string): void {
    if (line.endsWith('\\')) this.#unfinished.push(line.slice(0, -1));
    else this.#take([...this.#unfinished.splice(0), line].join('\n'));
  }

  #take(text: string): void {
    const number = PRESS.exec(text)?.[1];
    if (number === undefined) return this.#takeMessage(text);
    const button = this.#buttons.get(Number(number));
    const receiver = this.#receiver;
    if (!button) return this.note(`There is no button /${number}.`);
    if (!receiver) return;
    const acknowledge = async (words?: string) => void (words && this.note(words));
    this.#handedOver = this.#handedOver.then(() =>
      receiver.onPress({ ...this.#sender, ...button, acknowledge }),
    );
  }

  #takeMessage(text: string): void {
    const receiver = this.#receiver;
    if (text.trim() === '' || !receiver) return;
    const message = { ...this.#sender, messageId: this.#newId(), text, files: [] };
    this.#handedOver = this.#handedOver
      .then(() => receiver.onMessage(message))
      .catch((error: Error) =>
        this.note(`The message could not be stored: ${error.message}\nType it again.`),
      );
  }

  #onEndOfInput(): void {
    this.#takeMessage(this.#unfinished.splice(0).join('\n'));
    this.#end();
  }

  #end(error?: Error): void {
    void this.#handedOver.then(() => {
      if (!this.#isStopped) this.#receiver?.onEnd(error);
      this.#receiver = undefined;
    });
  }

  /** Prints a file of text, such as the whole input of a request; others are only named. */
  #showFile({ name, mediaType, content }: SentFile): void {
    const text = mediaType.startsWith('text/') ? `\n${new TextDecoder().decode(content)}` : '';
    this.#print(`File ${safeLabel(name)} (${content.byteLength} bytes)${safeRequest(text)}`);
    this.#endLine();
  }

  /** Ids are in the order of time and never used again, also not by a later process. */
  #newId(): string {
    this.#lastTime = Math.max(Date.now(), this.#lastTime + 1);
    return `${this.#lastTime}-${randomBytes(4).toString('hex')}`;
  }

  /** Prints a text that is not a part of what was printed last. */
  #print(text: string): void {
    this.#endLine();
    this.#write(text);
    this.#isOpen = true;
  }

  #endLine(): void {
    const { note } = this.#begun ?? {};
    this.#begun = undefined;
    if (this.#isOpen) this.#write('\n');
    if (note) this.#write(`${note}\n`);
    this.#growing = undefined;
    this.#isOpen = false;
  }

  #write(text: string): void {
    this.#options.output.write(text);
  }

  /** Resolves when everything before was written. */
  #written(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#options.output.write('', (error) => (error ? reject(error) : resolve()));
    });
  }
}

function isTerminal(stream: NodeJS.ReadableStream | NodeJS.WritableStream): boolean {
  return 'isTTY' in stream && stream.isTTY === true;
}

/** Adds an entry and removes the oldest one of too many. */
function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > REMEMBERED && oldest !== undefined) map.delete(oldest);
}

/**
 * The part of a printed draft that its last text replaces by a line about the draft: the beginning of the answer, which
 * is sent as a message of its own. Undefined if the last text is another one.
 */
function begunIn(draft: string, last: string): { text: string; note: string } | undefined {
  const end = last.lastIndexOf('\n\n');
  const [said, note] = end === -1 ? ['', last] : [`${last.slice(0, end)}\n\n`, last.slice(end + 2)];
  if (!NOTE.test(note) || !draft.startsWith(said) || draft.length === said.length) return undefined;
  // The answer is not below, but here.
  return { text: draft.slice(said.length), note: note.startsWith('💬') ? '' : note };
}

/** The part of an edited text that was not printed, such as the outcome above a request. */
function additionTo(before: string, text: string): string {
  if (before !== '' && text.endsWith(`\n${before}`)) return text.slice(0, -before.length - 1);
  if (before !== '' && text.startsWith(`${before}\n`)) return text.slice(before.length + 1);
  return text;
}
