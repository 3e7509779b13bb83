import { once } from 'node:events';
import type { Failure, ModelRequest } from './dialect.ts';
import { makeReply, type Reply } from './reply.ts';
import { isFault } from './scripts.ts';
import type { Answer, FailureKind, Step } from './steps.ts';
import { NoSuchTool, resolveCalls } from './vocabulary.ts';
import { type Exchange, pause, sendFailure, sendWhole, startStream, writeFrame } from './wire.ts';

/** Answers a request the way the step says. */
export async function perform(step: Step, exchange: Exchange): Promise<void> {
  const { dialect, request } = exchange;
  if (!isFault(step)) return speak(step, exchange);
  if ('drop' in step) return drop(step.drop, exchange);
  if ('hang' in step) return hang(step.hang, exchange);
  if ('status' in step) {
    const { status, body, headers } = step;
    if (body !== undefined) return sendFailure({ status, body, headers }, exchange);
    const usual = dialect.failure(usualKind(status), request);
    const merged = { ...usual, status, headers: { ...usual.headers, ...headers } };
    return sendFailure(merged, exchange);
  }
  if (step.fault === 'refusal' || step.fault === 'max_tokens') {
    return speak(earlyStops[step.fault], exchange);
  }
  const failure = dialect.failure(step.fault, request);
  return sendFailure({ ...failure, headers: { ...failure.headers, ...step.headers } }, exchange);
}

const earlyStops = {
  refusal: { text: 'I cannot help with that.', stopReason: 'refusal' },
  max_tokens: { text: 'This answer goes on and', stopReason: 'max_tokens' },
} satisfies Record<string, Answer>;

const partial: Answer = { text: 'This answer will never be whole, whatever the agent hopes.' };

async function speak(answer: Answer, exchange: Exchange): Promise<void> {
  const { dialect, request, response, signal } = exchange;
  const reply = prepare(answer, exchange);
  if (reply instanceof NoSuchTool) return sendFailure(scriptError(reply), exchange);

  await pause(answer.delayMs, signal);
  if (!request.stream) return sendWhole(dialect.whole(reply), exchange);
  startStream(exchange);
  for (const frame of dialect.stream(reply, request)) await writeFrame(frame, answer, exchange);
  response.end();
}

async function drop(where: 'before-headers' | 'mid-stream' | 'hard', exchange: Exchange) {
  const { response, signal } = exchange;
  if (where === 'before-headers') {
    response.destroy();
    return;
  }
  await speakHalf(exchange);
  if (where === 'mid-stream') {
    response.end();
    return;
  }
  // A reset throws away what the agent has not read yet, so let it read first.
  await pause(50, signal);
  response.socket?.resetAndDestroy();
}

async function hang(where: 'before-headers' | 'mid-stream', exchange: Exchange): Promise<void> {
  if (where === 'mid-stream') await speakHalf(exchange);
  if (!exchange.signal.aborted) await once(exchange.signal, 'abort');
}

async function speakHalf(exchange: Exchange): Promise<void> {
  const { dialect, request, response } = exchange;
  const reply = makeReply(partial, { ...exchange, model: request.model, calls: [] });
  if (!request.stream) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(JSON.stringify(dialect.whole(reply)).slice(0, 100));
    return;
  }
  startStream(exchange);
  const frames = dialect.stream(reply, request);
  const firstDelta = frames.findIndex((frame) => frame.delta);
  for (const frame of frames.slice(0, firstDelta + 1)) await writeFrame(frame, partial, exchange);
}

function prepare(answer: Answer, exchange: Exchange): Reply | NoSuchTool {
  const { request, serial, turns } = exchange;
  const context = { serial, turns, model: request.model };
  const tools = answer.tools ?? [];
  if (tools.length > 0 && isSideCall(request)) {
    return makeReply({ text: 'A title' }, { ...context, calls: [] });
  }
  try {
    return makeReply(answer, { ...context, calls: resolveCalls(tools, request.offered) });
  } catch (error) {
    if (error instanceof NoSuchTool) return error;
    throw error;
  }
}

// Agents repeat the prompt in side calls, such as one for a title, but offer no tools there.
function isSideCall(request: ModelRequest): boolean {
  return request.offered.length === 0;
}

// Status 400, because agents retry most others and would hide the mistake in the script.
function scriptError({ message }: NoSuchTool): Failure {
  return { status: 400, body: { error: { type: 'invalid_request_error', message } } };
}

function usualKind(status: number): FailureKind {
  if (status === 400) return 'bad_request';
  if (status === 401) return 'auth';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not_found_model';
  if (status === 429) return 'rate_limited';
  if (status === 502) return 'html502';
  if (status === 503 || status === 529) return 'overloaded';
  return 'server_error';
}
