import { createHash, createPublicKey, verify } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type Json, object, parseJson, string } from '@baton/config/values/json';
import { type WebSocket, WebSocketServer } from 'ws';

/** Reply of the gateway: a response or an error; undefined leaves the request unanswered. */
export type Reply = { payload?: Json; error?: Json } | undefined;

/** A gateway in this process that checks the handshake as a real one does, and answers as a test says. */
export class StubGateway {
  readonly url: string;
  /** All that clients asked for, `connect` included. */
  readonly requests: { method: string; params: Json }[] = [];
  /** Answers `connect` before the gateway's own checks. */
  onConnect: (params: Json) => Reply = () => undefined;
  onRequest: (method: string, params: Json, client: StubClient) => Reply = () => undefined;
  /** True if the gateway does not even send its challenge. */
  isSilent = false;
  /** The clock of the gateway. */
  now = () => Date.now();
  bootId = 'boot-1';
  tickIntervalMs = 30_000;
  sharedToken = 'shared';
  deviceToken = 'device-1';
  #server: WebSocketServer;

  private constructor(server: WebSocketServer) {
    this.#server = server;
    this.url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    server.on('connection', (socket) => this.#serve(socket));
  }

  static async start(): Promise<StubGateway> {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
    return new StubGateway(server);
  }

  /** The credentials of each `connect`, in order. */
  get auths(): Json[] {
    return this.of('connect').map(({ auth }) => object(auth));
  }

  of(method: string): Json[] {
    return this.requests.flatMap((each) => (each.method === method ? [each.params] : []));
  }

  /** Breaks all connections, as a network does. */
  cut(): void {
    for (const client of this.#server.clients) client.terminate();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(socket: WebSocket): void {
    const nonce = crypto.randomUUID();
    const client = new StubClient(socket);
    if (!this.isSilent) client.event('connect.challenge', { nonce, ts: this.now() });
    socket.on('message', (data) => {
      const { id, method, params } = object(parseJson(String(data)));
      const request = { method: String(method), params: object(params) };
      this.requests.push(request);
      const isConnect = method === 'connect';
      const reply = isConnect
        ? (this.onConnect(request.params) ?? this.#admit(request.params, nonce))
        : this.onRequest(request.method, request.params, client);
      if (!reply) return;
      client.respond(String(id), reply);
      if (isConnect && reply.error) socket.close(1008, String(reply.error.message));
    });
  }

  #admit(params: Json, nonce: string): Reply {
    const device = object(params.device);
    const { token, deviceToken } = object(params.auth);
    if (!isSigned(params, nonce)) return refusal('DEVICE_AUTH_SIGNATURE_INVALID');
    if (Math.abs(Number(device.signedAt) - this.now()) > 120_000) {
      return refusal('DEVICE_AUTH_SIGNATURE_EXPIRED');
    }
    if (deviceToken !== undefined && deviceToken !== this.deviceToken) {
      return refusal('AUTH_DEVICE_TOKEN_MISMATCH');
    }
    if (deviceToken === undefined && token !== this.sharedToken) {
      return refusal('AUTH_TOKEN_MISMATCH');
    }
    return {
      payload: {
        type: 'hello-ok',
        server: { version: '2026.9.6', bootId: this.bootId },
        policy: { tickIntervalMs: this.tickIntervalMs },
        auth: { deviceToken: this.deviceToken, scopes: params.scopes },
      },
    };
  }
}

/** The connection of a client. */
export class StubClient {
  #socket: WebSocket;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  event(event: string, payload: Json): void {
    this.#socket.send(JSON.stringify({ type: 'event', event, payload }));
  }

  respond(id: string, { payload, error }: NonNullable<Reply>): void {
    const ok = error === undefined;
    this.#socket.send(JSON.stringify({ type: 'res', id, ok, payload, error }));
  }
}

export function refusal(code: string, more: Json = {}): Reply {
  return { error: { code: 'INVALID_REQUEST', message: code, details: { code }, ...more } };
}

/** Checks the signature as the documentation of the gateway describes it. */
function isSigned({ client, role, scopes, auth, device }: Json, nonce: string): boolean {
  const { id, mode, platform } = object(client);
  const { id: deviceId, publicKey, signature, signedAt, nonce: signedNonce } = object(device);
  const raw = Buffer.from(string(publicKey) ?? '', 'base64url');
  if (createHash('sha256').update(raw).digest('hex') !== deviceId || nonce !== signedNonce) {
    return false;
  }
  const { token, deviceToken } = object(auth);
  const text = `v3|${deviceId}|${id}|${mode}|${role}|${(scopes as string[]).join(',')}|${signedAt}|${token ?? deviceToken ?? ''}|${nonce}|${platform}|`;
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw]);
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  return verify(null, Buffer.from(text), key, Buffer.from(string(signature) ?? '', 'base64url'));
}
