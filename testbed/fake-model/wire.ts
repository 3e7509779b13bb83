import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dialect, Failure, Frame, ModelRequest } from './dialect.ts';
import type { JsonObject } from './json.ts';
import type { Answer } from './steps.ts';

/** One pending request. */
export interface Exchange {
  dialect: Dialect;
  request: ModelRequest;
  response: ServerResponse;
  /** A number that no other exchange of this server has. */
  serial: number;
  /** Number of earlier model turns. */
  turns: number;
  /** Aborted when the agent hangs up or the server closes. */
  signal: AbortSignal;
}

/** Begins a response that is sent event by event. */
export function startStream({ response }: Exchange): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
}

/** Sends one event; splits it, and pauses after it, if the answer asks for that. */
export async function writeFrame(frame: Frame, answer: Answer, exchange: Exchange): Promise<void> {
  const { response, signal } = exchange;
  const bytes = Buffer.from(frame.text);
  const pieces = answer.splitCharacters ? splitInsideCharacters(bytes) : [bytes];
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await pause(1, signal);
    await write(piece, response);
  }
  if (frame.delta) await pause(answer.deltaDelayMs, signal);
}

/** Sends a whole answer at once. */
export function sendWhole(body: JsonObject, { response }: Pick<Exchange, 'response'>): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** Sends an error, whose body is JSON or any text. */
export function sendFailure(failure: Failure, { response }: Pick<Exchange, 'response'>): void {
  const { status, headers, body } = failure;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = text === body ? 'text/plain' : 'application/json';
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(text);
}

/** Waits; rejects at once when the signal is aborted. */
export async function pause(ms: number | undefined, signal: AbortSignal): Promise<void> {
  if (ms !== undefined) await sleep(ms, undefined, { signal });
}

/** Cuts the bytes after the first byte of every character that has several. */
export function splitInsideCharacters(bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  let start = 0;
  for (const [index, byte] of bytes.entries()) {
    if (byte < 0xc0) continue;
    pieces.push(bytes.subarray(start, index + 1));
    start = index + 1;
  }
  return [...pieces, bytes.subarray(start)];
}

// Resolves also when the agent has hung up: then the write reports an error that is no news.
function write(bytes: Buffer, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.write(bytes, () => resolve());
  });
}
