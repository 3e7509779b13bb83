import { BatonError, ERROR_CODES, type ErrorCode } from '@baton/protocol';
import { io, type Socket } from 'socket.io-client';

export type ConnectionOptions = {
  /** The URL of the daemon. */
  url: string;
  /** The token of the caller; without one, only login is possible. */
  token?: string | undefined;
  /** Timeout of a call. */
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
/** An executor has only the rest of its lease to come back, and nobody tells it when the network does. */
const LONGEST_PAUSE_MS = 2000;
/** The timeout of one connection attempt; a new attempt may succeed. */
const CONNECT_MS = 3000;
/** A new token may have expired already: the clock was set, or an answer with an older one came after it. */
const MAX_RENEWALS = 3;

/** A connection to a daemon that reconnects automatically. */
export class Connection {
  readonly url: string;
  #socket: Socket;
  #token: string | undefined;
  /** The token that this connection is authenticated with. */
  #shown: string | undefined;
  #timeoutMs: number;
  #renewsToken: boolean;
  #renewing: Promise<void> | undefined;
  #closing = new AbortController();
  #hasBeenUp = false;

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
      // Called for every new connection, because the token may have changed.
      auth: (give) => {
        this.#shown = this.#token;
        // Followers read the log: service events would only duplicate it.
        give({ token: this.#token, events: false });
      },
    });
    // If the token changed during the handshake, authenticate again.
    this.#socket.on('connect', () => {
      this.#hasBeenUp = true;
      this.#showNews();
    });
    this.#socket.on('disconnect', (reason) => {
      // Socket.IO does not reconnect after a disconnect by the server, but a daemon that restarts disconnects everyone.
      if (reason === 'io server disconnect') setTimeout(() => this.#comeBack(), FIRST_PAUSE_MS);
    });
  }

  /** Aborts once the connection is closed permanently: all later calls fail. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  /** True once the daemon has answered. */
  get hasBeenUp(): boolean {
    return this.#hasBeenUp;
  }

  /** Calls the listener with the connection state, now and on every change; returns the unsubscribe function. */
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

  /** Reconnects immediately instead of waiting for the next attempt. */
  reconnect(): void {
    if (this.#socket.connected || this.closed.aborted) return;
    this.#socket.disconnect().connect();
  }

  /** Replaces the token, also on the open connection. */
  showToken(token: string): void {
    this.#token = token;
    if (this.#socket.connected) this.#showNews();
  }

  /** Calls a method of a service; a call whose response is lost fails, because it may or may not have been executed. */
  async call<Result>(
    service: string,
    method: string,
    args: readonly unknown[],
    timeoutMs = this.#timeoutMs,
  ): Promise<Result> {
    for (let renewals = 0; ; renewals += 1) {
      const used = this.#token;
      try {
        return await this.#send<Result>(service, method, args, timeoutMs);
      } catch (error) {
        const isExpired = BatonError.is(error) && error.code === 'unauthenticated';
        if (!isExpired || !this.#renewsToken || renewals === MAX_RENEWALS) throw error;
        // Another call may have renewed it in the meantime.
        if (this.#token === used) await this.#renewToken(error);
      }
    }
  }

  /** Renews the token, once for concurrent failures. */
  #renewToken(why: BatonError): Promise<void> {
    this.#renewing ??= this.#send<{ token: string }>(
      'executors',
      'renewToken',
      [{}],
      this.#timeoutMs,
    )
      .then(({ token }) => this.showToken(token))
      .catch((error) => {
        // Without a token to renew, the first error is more useful.
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
    // It may have been closed just now.
    if (this.closed.aborted) throw this.#unreachable();
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const lost = () => reject(this.#unreachable('Lost connection to the daemon.'));
    this.#socket.once('disconnect', lost);
    this.#socket
      .timeout(timeoutMs)
      .emit(
        method,
        service,
        ...args,
        (late: unknown, error: RemoteError | null, result: Result) => {
          if (late) reject(this.#unreachable('The daemon did not respond in time.'));
          else if (error) reject(batonError(error));
          else resolve(result);
        },
      );
    return promise.finally(() => this.#socket.off('disconnect', lost));
  }

  /** Closes it permanently; pending calls fail. */
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
    const giveUp = () => reject(this.#unreachable(`Cannot reach a daemon at ${this.url}.`));
    const timer = setTimeout(giveUp, timeoutMs);
    this.#socket.once('connect', resolve);
    this.closed.addEventListener('abort', giveUp, { once: true });
    await promise.finally(() => {
      clearTimeout(timer);
      this.#socket.off('connect', resolve);
      this.closed.removeEventListener('abort', giveUp);
    });
  }

  /** A transient error, unless the connection was closed here. */
  #unreachable(message = ''): BatonError {
    if (!this.closed.aborted) return new BatonError('daemon_unreachable', message);
    return new BatonError('daemon_unreachable', 'The connection to the daemon was closed.', {
      hint: 'A closed client cannot be reused; create a new one.',
      retryable: false,
    });
  }
}

/** Converts an error of the daemon to a `BatonError`. */
function batonError({ message = 'The daemon reported an error.', data }: RemoteError): BatonError {
  const code = data?.code ?? 'internal';
  const known = code in ERROR_CODES ? (code as ErrorCode) : 'internal';
  return new BatonError(known, message, { hint: data?.hint, retryable: data?.retryable });
}
