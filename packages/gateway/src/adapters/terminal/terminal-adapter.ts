import { randomBytes } from 'node:crypto';
import { createInterface, type Interface } from 'node:readline';
import { withoutLastBreaks } from '@baton/protocol';
import type {
  ChannelAdapter,
  ChannelLimits,
  ChannelReceiver,
  IncomingMessage,
  OutgoingMessage,
  SentFile,
} from '../../channel-adapter.ts';
import type { Sender } from '../../config/access.ts';
import type { MentionRules } from '../../text/mentions.ts';
import { Choices } from './choices.ts';
import { PromptLine } from './prompt-line.ts';
import { safeLabel, safeRequest, safeText } from './safe-text.ts';
import { saveFile } from './save-file.ts';
import { LiveScreen, PlainScreen, type Screen } from './screen.ts';

const CHANNEL = 'terminal:local';
const MB = 1024 * 1024;
const REMEMBERED_NONCES = 1000;
/** A line that can only be meant for a button, while there are some. It has no line break. */
const BUTTON_NUMBER = /^[ \t]*(\d{1,3})[ \t]*$/;

export type TerminalAdapterOptions = {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  /** The id of the user at the terminal. */
  userId?: string | undefined;
  /** Where files that the agent sends are written; without it they are only named. */
  filesFolder?: string | undefined;
  /** Called at Ctrl-C, which is a key like any other while lines are typed. By default it interrupts the process group. */
  onInterrupt?: (() => void) | undefined;
};

/**
 * A terminal as a chat channel. On a terminal, answers grow in place above the line that the user types; without one,
 * each final text is printed once.
 */
export class TerminalAdapter implements ChannelAdapter {
  readonly platform = 'terminal';
  readonly limits: ChannelLimits;
  /** Nothing in a terminal notifies anyone. */
  readonly mentions: MentionRules = { pattern: /(?!)/g };
  #options: TerminalAdapterOptions;
  #sender: Sender;
  #screen: Screen;
  #live: LiveScreen | undefined;
  #prompt: PromptLine | undefined;
  #lines: Interface | undefined;
  #receiver: ChannelReceiver | undefined;
  #choices = new Choices();
  /** Set when the choices have changed since the user began to type: a number may mean another button by now. */
  #isOutdated = false;
  /** The lines of a message that continues. */
  #unfinished: string[] = [];
  /** Ends when everything that was typed is handed over. */
  #handedOver: Promise<void> = Promise.resolve();
  #sent = new Map<string, string>();
  #lastTime = 0;
  #isStopped = false;

  constructor(options: TerminalAdapterOptions) {
    this.#options = options;
    const { output, userId = CHANNEL } = options;
    this.#sender = { userId, channelId: CHANNEL, isDirect: false };
    const isTerminal = isTty(output) && process.env.TERM !== 'dumb';
    this.limits = limitsOf(isTerminal);
    const write = (text: string) => void output.write(text);
    this.#live = isTerminal ? new LiveScreen(output, write) : undefined;
    this.#screen = this.#live ?? new PlainScreen(write);
  }

  async start(receiver: ChannelReceiver): Promise<void> {
    this.#receiver = receiver;
    const { input, output, onInterrupt = interruptGroup } = this.#options;
    if (this.#live && isTty(input)) {
      this.#prompt = new PromptLine({ input, output });
      this.#live.setInput(this.#prompt);
    }
    const lines = this.#prompt?.lines ?? createInterface({ input, crlfDelay: Infinity });
    this.#lines = lines;
    lines.on('line', (line) => this.#onLine(line));
    lines.on('SIGINT', onInterrupt);
    lines.once('close', () => this.#onEndOfInput());
    // A terminal that goes away, for example.
    lines.on('error', (error) => this.#end(error));
    this.#prompt?.next({ isContinued: false });
  }

  /** A terminal has no history. */
  async *messagesAfter(): AsyncIterable<IncomingMessage> {}

  async send(_channelId: string, message: OutgoingMessage, nonce: string): Promise<string> {
    const before = this.#sent.get(nonce);
    if (before !== undefined) return before;
    const id = this.#newId();
    this.#remember(nonce, id);
    const files = await Promise.all((message.files ?? []).map((file) => this.#describe(file)));
    this.#show(id, message);
    for (const line of files) this.#screen.note(line);
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

  /** Shows a text that is no message, such as a warning, above the line that is being typed. */
  note(text: string): void {
    this.#screen.note(withoutLastBreaks(safeText(text)));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#prompt) this.#prompt.close();
    else this.#lines?.close();
    await this.#handedOver;
    // An output that is gone has nothing left to write.
    await this.#written().catch(() => {});
  }

  #show(id: string, { text, buttons, isDraft = false }: OutgoingMessage): void {
    // Buttons that are not shown cannot be pressed.
    const shown = isDraft && !this.#live ? undefined : buttons;
    this.#setChoices(id, shown);
    const choices = this.#choices.linesOf(id, shown);
    const isRequest = choices.length > 0 && !isDraft;
    const body = withoutLastBreaks(isRequest ? safeRequest(text) : safeText(text));
    this.#screen.show(id, { body, choices, isDraft });
  }

  #setChoices(id: string, buttons: OutgoingMessage['buttons']): void {
    const hasChanged = this.#choices.set(id, buttons);
    if (hasChanged && this.#prompt && !this.#prompt.isEmpty) this.#isOutdated = true;
  }

  #onLine(line: string): void {
    if (this.#prompt) this.#live?.typed(this.#prompt.echoOf(line));
    const isPasted = this.#prompt?.isPasting === true;
    const isContinued = isPasted || line.endsWith('\\');
    if (isContinued) this.#unfinished.push(isPasted ? line : line.slice(0, -1));
    else this.#take([...this.#unfinished.splice(0), line].join('\n'));
    this.#prompt?.next({ isContinued });
  }

  #take(text: string): void {
    const isOutdated = this.#isOutdated;
    this.#isOutdated = false;
    const number = BUTTON_NUMBER.exec(text)?.[1];
    if (number === undefined) this.#takeMessage(text);
    else if (isOutdated) this.note('The choices have changed. Type the number again.');
    else if (this.#choices.isEmpty) this.#takeMessage(text);
    else this.#press(number);
  }

  #press(number: string): void {
    const button = /^0/.test(number) ? undefined : this.#choices.find(Number(number));
    const receiver = this.#receiver;
    if (!button) this.note(`There is no button ${number}.`);
    if (!button || !receiver) return;
    this.#handedOver = this.#handedOver.then(() =>
      receiver.onPress({ ...this.#sender, ...button, acknowledge: this.#notify }),
    );
  }

  #takeMessage(text: string): void {
    const receiver = this.#receiver;
    if (text.trim() === '' || !receiver) return;
    const message = { ...this.#sender, messageId: this.#newId(), text, files: [] };
    this.#handedOver = this.#handedOver.then(() => this.#handOver(receiver, message));
  }

  async #handOver(receiver: ChannelReceiver, message: IncomingMessage): Promise<void> {
    try {
      await receiver.onMessage(message);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.note(`The message could not be stored: ${reason}\nType it again.`);
    }
  }

  #notify = async (text?: string): Promise<void> => {
    if (text !== undefined && text !== '') this.note(text);
  };

  #onEndOfInput(): void {
    this.#prompt?.close();
    this.#takeMessage(this.#unfinished.splice(0).join('\n'));
    this.#end();
  }

  #end(error?: Error): void {
    void this.#handedOver.then(() => {
      if (!this.#isStopped) this.#receiver?.onEnd(error);
      this.#receiver = undefined;
    });
  }

  async #describe(file: SentFile): Promise<string> {
    const what = `File ${safeLabel(file.name)} (${file.content.byteLength} bytes)`;
    const { filesFolder } = this.#options;
    if (filesFolder === undefined) return what;
    try {
      return `${what}: ${safeLabel(await saveFile(filesFolder, file))}`;
    } catch (error) {
      return `${what} could not be saved: ${safeLabel((error as Error).message)}`;
    }
  }

  #remember(nonce: string, id: string): void {
    this.#sent.set(nonce, id);
    for (const oldest of this.#sent.keys()) {
      if (this.#sent.size <= REMEMBERED_NONCES) return;
      this.#sent.delete(oldest);
    }
  }

  /** In the order of time, and never used before, also not by an earlier process. */
  #newId(): string {
    this.#lastTime = Math.max(Date.now(), this.#lastTime + 1);
    return `${this.#lastTime}-${randomBytes(4).toString('hex')}`;
  }

  /** Resolves when everything before was written. */
  #written(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#options.output.write('', (error) => (error ? reject(error) : resolve()));
    });
  }
}

function limitsOf(isTerminal: boolean): ChannelLimits {
  return {
    messageLength: 100_000,
    sendIntervalMs: 0,
    // Without a terminal drafts are not shown.
    editIntervalMs: isTerminal ? 100 : 1000,
    typingMs: 0,
    sentFileBytes: 100 * MB,
    receivedFileBytes: 0,
    buttonsPerRow: 5,
    buttonRows: 20,
    buttonLabelLength: 80,
    buttonValueBytes: 1000,
    acknowledgeMs: 60_000,
  };
}

function isTty(stream: NodeJS.ReadableStream | NodeJS.WritableStream): boolean {
  return 'isTTY' in stream && stream.isTTY === true;
}

/** Does what the terminal does with Ctrl-C when nothing reads its keys. */
function interruptGroup(): void {
  process.kill(0, 'SIGINT');
}
