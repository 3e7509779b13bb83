import type { AgentProcess } from '@baton/process';
import { BatonError } from '@baton/protocol/values';
import type { Channel, ConnectInput } from '../definition/driver.ts';
import { errorText } from '../normalize/error-text.ts';
import { type LinkInput, launchFacts } from './link-input.ts';

/** The connection to an agent; it buffers messages while paused. */
export class AgentConnection {
  /** Reason why the other side ended it. */
  lost: string | undefined;
  #channel: Channel | undefined;
  #closed = Promise.withResolvers<void>();
  #isOpen = true;
  #isPaused = false;
  #waiting: string[] = [];
  #printed: ((line: string) => void)[] = [];
  #read: (message: string) => void;

  constructor(read: (message: string) => void) {
    this.#read = read;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  async open(
    connect: (input: ConnectInput) => Promise<Channel>,
    input: LinkInput,
    process: AgentProcess | undefined,
  ): Promise<void> {
    const { signal } = input;
    const quit = Promise.withResolvers<never>();
    const abort = () => quit.reject(new BatonError('interrupted', 'The run was cancelled.'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    const channel = connect({
      ...launchFacts(input),
      signal,
      printed: (fits) => this.#untilPrinted(fits, process, input.label),
      onMessage: (message) => this.#take(message),
      onClose: (reason) => this.#end(reason),
    });
    try {
      this.#channel = await Promise.race([channel, quit.promise]);
    } catch (error) {
      // A connection that opens after the abort is closed at once.
      void channel.then((late) => late.close()).catch(() => {});
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** Takes a line of the process behind the connection. */
  print(line: string): void {
    for (const each of [...this.#printed]) each(line);
  }

  send(frame: string): void {
    if (this.#isOpen) this.#channel?.send(frame);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#end();
    this.#channel?.close();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    while (!this.#isPaused && this.#waiting.length > 0) this.#read(this.#waiting.shift() ?? '');
  }

  #take(message: string): void {
    if (this.#isPaused) this.#waiting.push(message);
    else this.#read(message);
  }

  #end(reason?: string): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.lost = reason;
    this.resume();
    this.#closed.resolve();
  }

  async #untilPrinted(
    fits: (line: string) => boolean,
    process: AgentProcess | undefined,
    label: string,
  ): Promise<string> {
    const found = Promise.withResolvers<string>();
    const look = (line: string) => {
      if (fits(line)) found.resolve(line);
    };
    this.#printed.push(look);
    const gone = async () => {
      const end = await process?.closed;
      const words = errorText(process?.stderr ?? '') || `exit code ${end?.code ?? 'unknown'}`;
      const code = end?.code === 0 ? 'output_unreadable' : 'agent_crashed';
      throw new BatonError(code, `${label} exited before Baton could connect: ${words}`);
    };
    try {
      return await Promise.race([found.promise, gone()]);
    } finally {
      this.#printed = this.#printed.filter((each) => each !== look);
    }
  }
}
