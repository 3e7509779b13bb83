import { type Json, number, object, parseJson, string } from '@baton/config/values/json';
import type { Channel, ConnectInput } from '@baton/engine/definition/driver';
import { webSocketChannel } from '@baton/engine/kit/web-socket';
import { raceTimer } from '@baton/process/time/race-timer';
import { Backoff, BatonError, delay } from '@baton/protocol/values';
import type { DeviceStore } from './device-store.ts';
import type { GatewayAccess } from './gateway-access.ts';
import { type Auth, ConnectRefusal, connectParams, LABEL, SCOPES } from './handshake.ts';

/** Time limits for the phases of a connection, in milliseconds. */
export type GatewayTimes = {
  /** Until the gateway sends its challenge, and again until it admits the device. */
  handshakeMs: number;
  /** Until a gateway that is starting is ready. */
  startMs: number;
  /** Until a lost connection is there again; longer than the restart of a gateway. */
  reconnectMs: number;
  /** The first pause between attempts to reconnect, and the longest. */
  pauseMs: { first: number; longest: number };
};

export const GATEWAY_TIMES: GatewayTimes = {
  handshakeMs: 15_000,
  startMs: 60_000,
  reconnectMs: 180_000,
  pauseMs: { first: 250, longest: 5000 },
};

/** The id of the `connect` request; the dialect numbers its own. */
const CONNECT_ID = 'connect';

type GatewayChannelInput = Pick<ConnectInput, 'onMessage' | 'onClose' | 'signal'> & {
  access: GatewayAccess;
  store: DeviceStore;
  times: GatewayTimes;
};

/**
 * Connects to a gateway, and reconnects when the connection is lost: a run continues in the gateway meanwhile. The
 * dialect gets every frame of the gateway, beginning with the response to `connect`, and messages of the type `baton`
 * about the connection itself.
 */
export async function gatewayChannel(input: GatewayChannelInput): Promise<Channel> {
  const link = new GatewayLink(input);
  await link.open(input.signal);
  return link;
}

/** Message to the dialect about the connection. */
type ConnectionMessage =
  | { type: 'baton'; connection: 'lost'; reason: string }
  | { type: 'baton'; connection: 'failed'; error: Json };

class GatewayLink implements Channel {
  #input: GatewayChannelInput;
  #socket: Channel | undefined;
  #silence: NodeJS.Timeout | undefined;
  #silenceMs = 0;
  #closing = new AbortController();

  constructor(input: GatewayChannelInput) {
    this.#input = input;
  }

  /** Connects, with every attempt that makes sense. */
  async open(signal: AbortSignal): Promise<void> {
    const { access, store, times } = this.#input;
    const deadline = performance.now() + times.startMs;
    let wasExpired = false;
    let stored = store.token(access.url);
    for (;;) {
      try {
        const auth = stored ? { deviceToken: stored.token } : sharedAuth(access);
        return await this.#attempt(auth, stored?.scopes ?? SCOPES, signal);
      } catch (error) {
        if (!(error instanceof ConnectRefusal)) throw error;
        const { retryAfterMs } = error;
        if (stored && error.isStaleToken) {
          store.forgetToken(access.url, stored.token);
          stored = undefined;
        } else if (error.isExpired && !wasExpired) {
          wasExpired = true;
        } else if (retryAfterMs === undefined || performance.now() + retryAfterMs > deadline) {
          throw error.toError();
        } else if (!(await delay(retryAfterMs, signal))) {
          throw error.toError();
        }
      }
    }
  }

  /** Frames that are sent while there is no connection are lost; the dialect repeats what matters. */
  send(frame: string): void {
    this.#socket?.send(frame);
  }

  close(): void {
    this.#closing.abort();
    clearTimeout(this.#silence);
    this.#socket?.close();
    this.#input.onClose();
  }

  async #attempt(auth: Auth, scopes: readonly string[], signal: AbortSignal): Promise<void> {
    const { access, store, times, onMessage } = this.#input;
    const challenge = Promise.withResolvers<Json>();
    const admission = Promise.withResolvers<Json>();
    let isAdmitted = false;
    // What the gateway sends before this attempt has succeeded.
    let early: string[] | undefined = [];
    let socket: Channel | undefined;
    const lost = (reason = 'it was closed') => {
      const error = unreachable(`The ${LABEL} gateway closed the connection: ${reason}`);
      challenge.reject(error);
      admission.reject(error);
      if (socket && this.#socket === socket) void this.#lost(reason);
    };
    const read = (message: string) => {
      if (this.#socket === socket && early === undefined) this.#awaitSilence();
      if (early === undefined) return onMessage(message);
      if (isAdmitted) return void early.push(message);
      const frame = object(parseJson(message));
      if (frame.event === 'connect.challenge') return challenge.resolve(object(frame.payload));
      if (frame.type !== 'res' || frame.id !== CONNECT_ID) return;
      isAdmitted = frame.ok === true;
      if (isAdmitted) early.push(helloMessage(frame));
      admission.resolve(frame);
    };
    // Nobody may be waiting when the connection is lost.
    challenge.promise.catch(() => {});
    admission.promise.catch(() => {});
    socket = await webSocketChannel({
      url: access.url,
      label: `the ${LABEL} gateway`,
      signal,
      onMessage: read,
      onClose: lost,
    });
    try {
      const { nonce, ts } = await within(challenge.promise, times.handshakeMs, signal);
      const params = connectParams({
        challenge: { nonce: string(nonce) ?? '', ts: number(ts) ?? Date.now() },
        device: store.identity(),
        auth,
        scopes,
      });
      socket.send(JSON.stringify({ type: 'req', id: CONNECT_ID, method: 'connect', params }));
      const frame = await within(admission.promise, times.handshakeMs, signal);
      if (!isAdmitted) throw new ConnectRefusal(object(frame.error));
      this.#keepToken(object(frame.payload), auth);
      this.#socket = socket;
      this.#silenceMs = 2 * (tickOf(frame) ?? 0);
      this.#awaitSilence();
    } catch (error) {
      socket.close();
      throw error;
    }
    const messages = early;
    early = undefined;
    for (const message of messages) onMessage(message);
  }

  /** Keeps the token that the gateway issued to this device. */
  #keepToken({ auth }: Json, sent: Auth): void {
    const { access, store } = this.#input;
    const { deviceToken, scopes } = object(auth);
    if (typeof deviceToken !== 'string' || deviceToken === sent.deviceToken) return;
    const granted = Array.isArray(scopes) ? scopes.map(String) : SCOPES;
    // Asking for more than was granted would need another approval.
    const kept = SCOPES.filter((scope) => granted.includes(scope));
    store.keepToken(access.url, { token: deviceToken, scopes: kept.length > 0 ? kept : SCOPES });
  }

  /** A gateway sends a tick every 30 seconds: one that is silent for twice as long is gone. */
  #awaitSilence(): void {
    clearTimeout(this.#silence);
    const socket = this.#socket;
    if (!socket || this.#silenceMs === 0) return;
    this.#silence = setTimeout(() => {
      if (this.#socket !== socket) return;
      socket.close();
      void this.#lost('the gateway was silent for too long');
    }, this.#silenceMs);
    this.#silence.unref();
  }

  /** Reconnects until it takes too long or makes no sense. */
  async #lost(reason: string): Promise<void> {
    clearTimeout(this.#silence);
    this.#socket = undefined;
    const { signal } = this.#closing;
    if (signal.aborted) return;
    this.#tell({ type: 'baton', connection: 'lost', reason });
    const { reconnectMs, pauseMs } = this.#input.times;
    const deadline = performance.now() + reconnectMs;
    const backoff = new Backoff({ baseMs: pauseMs.first, maxMs: pauseMs.longest, signal });
    while (await backoff.wait()) {
      try {
        await this.open(signal);
        if (signal.aborted) this.#abandon();
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (!isTransient(error) || performance.now() > deadline) return this.#fail(error);
      }
    }
  }

  #abandon(): void {
    clearTimeout(this.#silence);
    const socket: Channel | undefined = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }

  #fail(cause: unknown): void {
    const error = BatonError.is(cause) ? cause : unreachable(String(cause));
    this.#tell({ type: 'baton', connection: 'failed', error: { ...error.toJSON() } });
    this.#input.onClose(error.message);
  }

  #tell(message: ConnectionMessage): void {
    this.#input.onMessage(JSON.stringify(message));
  }
}

function sharedAuth({ token, password }: GatewayAccess): Auth {
  return { ...(token ? { token } : {}), ...(password ? { password } : {}) };
}

/** Returns the part of the `connect` response that the dialect needs; the response also holds the device token. */
function helloMessage({ type, id, ok, payload }: Json): string {
  const { server } = object(payload);
  return JSON.stringify({ type, id, ok, payload: { type: 'hello-ok', server } });
}

function tickOf(frame: Json): number | undefined {
  return number(object(object(frame.payload).policy).tickIntervalMs);
}

async function within<Value>(
  promise: Promise<Value>,
  milliseconds: number,
  signal: AbortSignal,
): Promise<Value> {
  const settled = promise.catch(() => {});
  if (await raceTimer([settled], milliseconds, signal)) return promise;
  throw unreachable(`The ${LABEL} gateway did not finish the handshake.`);
}

function unreachable(message: string): BatonError {
  return new BatonError('network_unreachable', message, {
    hint: 'Check that the gateway is running and that the address is correct.',
  });
}

function isTransient(error: unknown): boolean {
  return BatonError.is(error) && error.code === 'network_unreachable';
}
