import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage as Request,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { isIPv4, type Socket } from 'node:net';
import { raceTimer } from '@baton/process/time/race-timer';
import { BatonError } from '@baton/protocol';
import { HttpError } from './http-error.ts';

const MAX_BODY_BYTES = 10 * 1024 * 1024;
const MAX_CONNECTIONS = 256;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/**
 * Longer than the longest wait for an answer. A client that does not read its response is disconnected after this time.
 */
const SOCKET_TIMEOUT_MS = 120_000;
/** Maximum time that the server waits at shutdown for responses that are being written. */
const STOP_MS = 2000;
/** Accepted host names. Others are rejected, because any site can make its own name resolve to this machine. */
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

export type Response = { status: number; body: unknown };

/** Handles a request whose body was read. The signal is aborted when the client is gone or the server stops. */
export type Handle = (
  request: { headers: Request['headers']; body: Buffer },
  signal: AbortSignal,
) => Promise<Response>;

type WebhookServerOptions = {
  host: string;
  port: number;
  /** By path. */
  routes: Readonly<Record<string, Handle>>;
  /** Called for an error of the gateway, not of a client. */
  onError(error: unknown): void;
  /** Time limit for a request to arrive. */
  requestTimeoutMs?: number | undefined;
};

/** An HTTP server for programs on this machine. Every response is JSON; browsers are rejected. */
export class WebhookServer {
  #options: WebhookServerOptions;
  #server: Server;
  #handling = new Set<Promise<unknown>>();
  #stopping = new AbortController();

  constructor(options: WebhookServerOptions) {
    if (!isLoopback(options.host)) {
      throw new BatonError(
        'config_invalid',
        `The webhook cannot listen on ${options.host}: only loopback addresses are allowed.`,
        { hint: 'Use 127.0.0.1, and a reverse proxy with TLS to reach it from elsewhere.' },
      );
    }
    this.#options = options;
    const { requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
    this.#server = createServer({
      requestTimeout: requestTimeoutMs,
      headersTimeout: Math.min(HEADERS_TIMEOUT_MS, requestTimeoutMs),
      connectionsCheckingInterval: Math.min(1000, requestTimeoutMs),
    });
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.timeout = SOCKET_TIMEOUT_MS;
    this.#server.on('request', (request, response) => {
      const handling = this.#answer(request, response).finally(() =>
        this.#handling.delete(handling),
      );
      this.#handling.add(handling);
    });
    this.#server.on('clientError', answerBroken);
  }

  async start(): Promise<void> {
    const { host, port } = this.#options;
    try {
      this.#server.listen(port, host === 'localhost' ? '127.0.0.1' : host);
      await once(this.#server, 'listening');
    } catch (error) {
      const { message } = error as Error;
      throw new BatonError('config_invalid', `The webhook cannot listen: ${message}`, {
        hint: 'Choose another port.',
        cause: error,
      });
    }
  }

  /** Address of the server, without a trailing slash. */
  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') return '';
    const { host } = this.#options;
    return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
  }

  /** Stops listening, lets every handler end, and closes all connections. */
  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#stopping.abort();
    // A client that does not send its request, or does not read its response, is not waited for.
    await raceTimer([Promise.all(this.#handling)], STOP_MS);
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: Request, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    const closed = new Promise<void>((resolve) => {
      response.once('close', () => {
        gone.abort();
        resolve();
      });
    });
    const { status, body } = await this.#handle(request, gone.signal).catch((error: unknown) => {
      if (error instanceof HttpError) return { status: error.status, body: error };
      this.#options.onError(error);
      return { status: 500, body: new HttpError(500, 'Internal error.') };
    });
    if (gone.signal.aborted) return;
    const text = JSON.stringify(body);
    response.writeHead(status, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(text),
      'Cache-Control': 'no-store',
      ...(status === 405 ? { Allow: 'POST' } : {}),
      ...(this.#stopping.signal.aborted ? { Connection: 'close' } : {}),
    });
    response.write(text);
    // A client reads its response after it has sent everything, so a connection that closes earlier would hide it.
    await discarded(request, AbortSignal.any([gone.signal, this.#stopping.signal]));
    response.end();
    await closed;
  }

  async #handle(request: Request, gone: AbortSignal): Promise<Response> {
    const { headers, method, url = '' } = request;
    if (headers.origin !== undefined) {
      throw new HttpError(403, 'Requests from browsers are not accepted.');
    }
    if (!LOOPBACK_HOST.test(headers.host ?? '')) {
      throw new HttpError(
        403,
        'The Host header must name this machine.',
        'Use localhost or 127.0.0.1; a reverse proxy must set it.',
      );
    }
    const { routes } = this.#options;
    const handle = Object.hasOwn(routes, url) ? routes[url] : undefined;
    if (!handle) {
      throw new HttpError(404, 'Not found.', `Use ${Object.keys(routes).join(' or ')}.`);
    }
    if (method !== 'POST') throw new HttpError(405, 'Only POST is allowed.');
    const body = await readBody(request, this.#stopping.signal);
    return handle({ headers, body }, AbortSignal.any([gone, this.#stopping.signal]));
  }
}

/** Reads the rest of a request without storing it, for at most the request timeout. */
async function discarded(request: Request, signal: AbortSignal): Promise<void> {
  if (request.complete || signal.aborted) return;
  await once(request.resume(), 'end', { signal }).catch(() => {});
}

async function readBody(request: Request, stopping: AbortSignal): Promise<Buffer> {
  const tooLarge = new HttpError(413, 'The body is larger than 10 MB.');
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge;
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const onData = (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes > MAX_BODY_BYTES) reject(tooLarge);
    else chunks.push(chunk);
  };
  const onStop = () => reject(new HttpError(503, 'The gateway is stopping.'));
  request.on('data', onData);
  request.once('end', () => resolve(Buffer.concat(chunks)));
  request.once('error', () => reject(new HttpError(400, 'The request ended too early.')));
  stopping.addEventListener('abort', onStop);
  if (stopping.aborted) onStop();
  try {
    return await promise;
  } finally {
    request.off('data', onData);
    stopping.removeEventListener('abort', onStop);
  }
}

const BROKEN: Readonly<Record<string, [number, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large.'],
};

/** Responds to data that is not a complete HTTP request. */
function answerBroken({ code = '' }: NodeJS.ErrnoException, socket: Socket): void {
  if (code !== 'ECONNRESET' && socket.writable) {
    const [status, message] = BROKEN[code] ?? [400, 'Malformed request.'];
    const body = JSON.stringify(new HttpError(status, message));
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  }
  socket.destroySoon();
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
