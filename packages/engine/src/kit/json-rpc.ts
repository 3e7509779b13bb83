import { isObject, type Json, number, object, parseJson, string } from '@baton/config/values/json';

/** The id of a request. Each side counts its own requests, so the ids of the two sides are unrelated. */
export type RpcId = number | string;

export type RpcError = { code: number | undefined; message: string; data?: unknown };

/** A message of JSON-RPC. Parameters and results that are no object read as an empty one. */
export type RpcMessage =
  | { kind: 'request'; id: RpcId; method: string; params: Json }
  | { kind: 'notification'; method: string; params: Json }
  | RpcResponse;

export type RpcResponse =
  | { kind: 'result'; id: RpcId; result: Json }
  | { kind: 'error'; id: RpcId; error: RpcError };

/** Callbacks for the answer to a request. At most one of them is called, and once. */
export type RpcAnswer = {
  onResult?(result: Json): void;
  onError(error: RpcError): void;
};

export type JsonRpcOptions = {
  /** Sends one message, as a line without its line break. */
  write(line: string): void;
  onNotification(method: string, params: Json, line: string): void;
  /**
   * Called with a request of the agent. Return true if the method is known, and answer with `respond` or `reject`, at
   * once or later: the agent waits for it. On false the peer rejects the request as an unknown method.
   */
  onRequest(id: RpcId, method: string, params: Json): boolean;
  /**
   * Called with a response to none of this peer's requests. A recording consists of them, because the requests were
   * sent elsewhere.
   */
  onUnmatchedResponse?(response: RpcResponse): void;
  /** Leaves `"jsonrpc":"2.0"` out of every message, for agents that do so themselves. */
  omitsVersion?: boolean;
  /** Sends the ids of requests as text, for agents that take no numbers. */
  textIds?: boolean;
};

const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;

/**
 * One side of a JSON-RPC 2.0 connection over lines. It does no I/O of its own: the dialect passes it every line and a
 * `write` function. Everything happens before `receive` returns, so messages keep their order.
 */
export class JsonRpcPeer {
  #options: JsonRpcOptions;
  #nextId = 1;
  #pending = new Map<RpcId, RpcAnswer>();

  constructor(options: JsonRpcOptions) {
    this.#options = options;
  }

  /** Sends a request. The answer may take as long as a turn, and never comes when the connection ends before it. */
  request(method: string, params: Json, answer: RpcAnswer): void {
    const id = this.#options.textIds ? String(this.#nextId) : this.#nextId;
    this.#nextId += 1;
    this.#pending.set(id, answer);
    this.#send({ id, method, params });
  }

  notify(method: string, params?: Json): void {
    this.#send({ method, params });
  }

  /** Answers a request of the agent. */
  respond(id: RpcId, result: unknown): void {
    this.#send({ id, result });
  }

  /** Answers a request of the agent with an error. */
  reject(id: RpcId, error: { code: number; message: string; data?: unknown }): void {
    this.#send({ id, error });
  }

  /** Reads a line of the agent; returns false, without any effect, if it is not a message. */
  receive(line: string): boolean {
    const message = readRpcMessage(line);
    if (!message) return false;
    if (message.kind === 'notification') {
      this.#options.onNotification(message.method, message.params, line);
    } else if (message.kind === 'request') this.#requested(message);
    else this.#answered(message);
    return true;
  }

  #requested({ id, method, params }: Extract<RpcMessage, { kind: 'request' }>): void {
    let isKnown: boolean;
    try {
      isKnown = this.#options.onRequest(id, method, params);
    } catch (error) {
      // The agent would wait for an answer for ever.
      this.reject(id, { code: INTERNAL_ERROR, message: `Baton failed to handle ${method}` });
      throw error;
    }
    if (isKnown) return;
    this.reject(id, { code: METHOD_NOT_FOUND, message: `Baton does not support ${method}` });
  }

  #answered(response: RpcResponse): void {
    const answer = this.#pending.get(response.id);
    if (!answer) return this.#options.onUnmatchedResponse?.(response);
    this.#pending.delete(response.id);
    if (response.kind === 'result') answer.onResult?.(response.result);
    else answer.onError(response.error);
  }

  #send(message: Json): void {
    const version = this.#options.omitsVersion ? {} : { jsonrpc: '2.0' };
    this.#options.write(JSON.stringify({ ...version, ...message }));
  }
}

/** Reads a line as a message of JSON-RPC, with or without its version; nothing when it is none. */
export function readRpcMessage(line: string): RpcMessage | undefined {
  const message = parseJson(line);
  if (!isObject(message)) return undefined;
  const { id, method } = message;
  if (typeof method === 'string') {
    const params = object(message.params);
    if (isId(id)) return { kind: 'request', id, method, params };
    return { kind: 'notification', method, params };
  }
  if (!isId(id)) return undefined;
  if (isObject(message.error)) return { kind: 'error', id, error: errorOf(message.error) };
  return 'result' in message ? { kind: 'result', id, result: object(message.result) } : undefined;
}

function errorOf({ code, message, data }: Json): RpcError {
  return { code: number(code), message: string(message) ?? '', data };
}

function isId(value: unknown): value is RpcId {
  return typeof value === 'number' || typeof value === 'string';
}
