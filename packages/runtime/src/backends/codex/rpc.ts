import { isObject, type Json, number, object, parseJson, string } from '../../normalize/json.ts';

/** The number of a request; the ones of Codex and ours have nothing to do with each other. */
export type RpcId = number | string;

/** A line of the app server: JSON-RPC without its version. */
export type RpcMessage =
  | { kind: 'request'; id: RpcId; method: string; params: Json }
  | { kind: 'notification'; method: string; params: Json }
  | { kind: 'result'; id: RpcId; result: Json }
  | { kind: 'error'; id: RpcId; code: number | undefined; message: string };

/** Reads a line of the app server; nothing when it is none. */
export function readRpc(line: string): RpcMessage | undefined {
  const frame = parseJson(line);
  if (!isObject(frame)) return undefined;
  const { id, method } = frame;
  if (typeof method === 'string') {
    const params = object(frame.params);
    if (isId(id)) return { kind: 'request', id, method, params };
    return { kind: 'notification', method, params };
  }
  if (!isId(id)) return undefined;
  if (isObject(frame.error)) {
    const { code, message } = frame.error;
    return { kind: 'error', id, code: number(code), message: string(message) ?? '' };
  }
  return 'result' in frame ? { kind: 'result', id, result: object(frame.result) } : undefined;
}

function isId(value: unknown): value is RpcId {
  return typeof value === 'number' || typeof value === 'string';
}
