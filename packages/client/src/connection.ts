import { BatonError, ERROR_CODES, type ErrorCode } from '@baton/protocol';
import { io, type Socket } from 'socket.io-client';

export type ConnectionOptions = {
  /** The address of the daemon. */
  url: string;
  /** Who is calling; nobody can do anything but log in. */
  token?: string | undefined;
  /** How long a call may wait for its answer. */
  timeoutMs?: number | undefined;
  /** For executors: exchanges a task token that has expired for a new one, and repeats the call. */
  renewsToken?: boolean | undefined;
};

type RemoteError = {
  message?: string;
  data?: { code?: string; hint?: string; retryable?: boolean };
};

const TIMEOUT_MS = 30_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;
/** A connection that is not made by then never will be: another one may. */
const CONNECT_MS = 5000;

/** A line to a daemon that is made again whenever it breaks. */
export class Connection {
  readonly url: string;
  #socket: Socket;
  #token: string | undefined;
  /** The token that the daemon has seen on this connection. */
  #shown: string | undefined;
  #timeoutMs: number;
  #renewsToken: boolean;
  #renewing: Promise<void> | undefined;
  #closing = new AbortController();

  constructor({ url, token, timeoutMs = TIMEOUT_MS, renewsToken = false }: ConnectionOptions) {
    this.#renewsToken = renewsToken;
    this.url = url;
    this.#token = token;
    this.#timeoutMs = timeoutMs;
    this.#socket = io(url, {
      transports: ['websocket'],
      reconnectionDelay: FIRST_PAUSE_MS,
      reconnectionDelayMax: LONGEST_PAUSE_MS,
      timeout: CONNECT_MS,
      // Asked at every new connection: by then the token may be another one.
      auth: (give) => {
        this.#shown = this.#token;
        // Followers read the log: service events would only double what they hear.
        give({ token: this.#token, events: false });
      },
    });
    // Whoever got another token while the connection was being made has to show it now.
    this.#socket.on('connect', () => this.#showNews());
    this.#socket.on('disconnect', (reason) => {
      // Otherwise who was sent away stays away: but a daemon that stops sends everybody away, and comes back.
      if (reason === 'io server disconnect') setTimeout(() => this.#comeBack(), FIRST_PAUSE_MS);
    });
  }

  /** Aborted once the connection was closed on purpose: nothing that is asked of it will ever work again. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  /** Tells whether there is a connection, now and at every change; the function that it gives ends that. */
  watch(tell: (isUp: boolean) => void): () => void {
    const [up, down] = [() => tell(true), () => tell(false)];
    this.#socket.on('connect', up);
    this.#socket.on('disconnect', down);
    tell(this.#socket.connected);
    return () => {
      this.#socket.off('connect', up);
      this.#socket.off('disconnect', down);
    };
  }

  /** Makes a lost connection again at once, in place of waiting for the next try. */
  reconnect(): void {
    if (this.#socket.connected || this.closed.aborted) return;
    this.#socket.disconnect().connect();
  }

  /** Shows another token from now on. */
  showToken(token: string): void {
    this.#token = token;
    if (this.#socket.connected) this.#showNews();
  }

  /** Calls a method of a service; a call whose answer got lost fails, because nobody knows whether it was made. */
  async call<Result>(
    service: string,
    method: string,
    args: readonly unknown[],
    timeoutMs = this.#timeoutMs,
  ): Promise<Result> {
    const used = this.#token;
    try {
      return await this.#send<Result>(service, method, args, timeoutMs);
    } catch (error) {
      const isExpired = BatonError.is(error) && error.code === 'unauthenticated';
      if (!isExpired || !this.#renewsToken) throw error;
      // Another call may have exchanged it meanwhile.
      if (this.#token === used) await this.#renewToken(error);
    }
    return this.#send(service, method, args, timeoutMs);
  }

  /** Calls that fail together exchange the token once. */
  #renewToken(why: BatonError): Promise<void> {
    this.#renewing ??= this.#send<{ token: string }>(
      'executors',
      'renewToken',
      [{}],
      this.#timeoutMs,
    )
      .then(({ token }) => this.showToken(token))
      .catch((error) => {
        // Where there is nothing to exchange, the first error says more.
        throw BatonError.is(error) && error.retryable ? error : why;
      })
      .finally(() => {
        this.#renewing = undefined;
      });
    return this.#renewing;
  }

  async #send<Result>(
    service: string,
    method: string,
    args: readonly unknown[],
    timeoutMs: number,
  ): Promise<Result> {
    await this.#connected(timeoutMs);
    // It may have been closed in this very moment.
    if (this.closed.aborted) throw this.#unreachable();
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const lost = () => reject(this.#unreachable('The connection to the daemon broke.'));
    this.#socket.once('disconnect', lost);
    this.#socket
      .timeout(timeoutMs)
      .emit(
        method,
        service,
        ...args,
        (late: unknown, error: RemoteError | null, result: Result) => {
          if (late) reject(this.#unreachable('The daemon did not answer in time.'));
          else if (error) reject(batonError(error));
          else resolve(result);
        },
      );
    return promise.finally(() => this.#socket.off('disconnect', lost));
  }

  /** Ends it for good; whatever was asked and not answered fails. */
  close(): void {
    this.#closing.abort();
    this.#socket.disconnect();
  }

  #showNews(): void {
    if (this.#token === this.#shown) return;
    this.#shown = this.#token;
    this.#socket.emit('token', this.#token);
  }

  #comeBack(): void {
    if (!this.closed.aborted) this.#socket.connect();
  }

  async #connected(timeoutMs: number): Promise<void> {
    if (this.#socket.connected || this.closed.aborted) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = () => reject(this.#unreachable(`No daemon answers at ${this.url}.`));
    const timer = setTimeout(giveUp, timeoutMs);
    this.#socket.once('connect', resolve);
    this.closed.addEventListener('abort', giveUp, { once: true });
    await promise.finally(() => {
      clearTimeout(timer);
      this.#socket.off('connect', resolve);
      this.closed.removeEventListener('abort', giveUp);
    });
  }

  /** What may pass by itself, unless the connection was closed here. */
  #unreachable(message = ''): BatonError {
    if (!this.closed.aborted) return new BatonError('daemon_unreachable', message);
    return new BatonError('daemon_unreachable', 'The connection to the daemon was closed.', {
      hint: 'Whoever closes a client has to make a new one to go on.',
      retryable: false,
    });
  }
}

/** An error of the daemon as one of our own. */
function batonError({ message = 'The daemon failed.', data }: RemoteError): BatonError {
  const code = data?.code ?? 'internal';
  const known = code in ERROR_CODES ? (code as ErrorCode) : 'internal';
  return new BatonError(known, message, { hint: data?.hint, retryable: data?.retryable });
}
