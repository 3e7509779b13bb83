import { BatonError } from './error.ts';
import type { AgentEvent } from './event.ts';
import type { OutputSchema, StructuredOf } from './output-schema.ts';
import type { PermissionRequest, QuestionRequest, RequestAnswer } from './permission.ts';
import type { RunRequest } from './run-request.ts';
import type { RunResult } from './run-result.ts';
import type { StopReport } from './stop.ts';

/** A request of an agent that needs an answer. */
export type PendingRequest =
  | { kind: 'permission'; request: PermissionRequest }
  | { kind: 'question'; request: QuestionRequest };

/** Returns the request that an event contains, if it is one. */
export function pendingIn(event: AgentEvent): PendingRequest | undefined {
  if (event.type === 'permission.requested') return { kind: 'permission', request: event };
  if (event.type === 'question.requested') return { kind: 'question', request: event };
  return undefined;
}

/** Outcome of an answer: it reached the agent, came after the request was settled, or fits no request. */
export type AnswerReceipt = 'accepted' | 'late' | 'unknown';

/**
 * One execution of one prompt: a stream of events that ends with exactly one result.
 *
 * Consume it once: iterate it, or call `collect()`, `text()` or `toSSE()`. Leaving the loop cancels the run; only a run
 * that was joined through a daemon continues. Invalid arguments are a `BatonError`: asynchronous methods reject with it,
 * the others throw it, and the result never contains it.
 */
export interface AgentRun<Structured = unknown> extends AsyncIterable<AgentEvent> {
  readonly runId: string;
  /** Settles when the run has ended; never rejects. Reading it has no effect: the run must be consumed. */
  readonly result: Promise<RunResult<Structured>>;
  /**
   * Runs to the end without events and returns the result. Requests that `onRequest` and `requests` do not handle are
   * denied at once; through a daemon they wait for its users.
   */
  collect(): Promise<RunResult<Structured>>;
  /** The text of the answer as it streams, with a blank line between messages. Requests are handled as in `collect()`. */
  text(): AsyncIterableIterator<string>;
  /**
   * The events as server-sent events, for `new Response(run.toSSE())` or `run.toSSE().pipeTo(Writable.toWeb(res))`.
   * Cancelling the stream cancels the run at once.
   */
  toSSE(): ReadableStream<Uint8Array>;
  /** Settles a permission request or a question; rejects an answer that does not fit the request. */
  answer(requestId: string, answer: RequestAnswer): Promise<AnswerReceipt>;
  /** Sends the agent further instructions while it works; rejects if it cannot take them. */
  steer(text: string): Promise<void>;
  /** Stops the run. In this process a second call forces it; a daemon forces it automatically. */
  cancel(reason?: string): Promise<StopReport>;
}

/** Answers a request. The signal aborts when the answer is no longer needed. */
export type RequestHandler = (
  pending: PendingRequest,
  context: { signal: AbortSignal },
) => RequestAnswer | Promise<RequestAnswer>;

/** The policy for unanswered requests. */
export interface UnansweredRequests {
  /** Time in milliseconds after which an unanswered request is settled. */
  timeoutMs: number;
  /** Decision on a permission request after the timeout; `deny` by default. A question is always declined. */
  otherwise?: 'deny' | 'allow' | undefined;
}

/** Options that apply only in the calling program and are never sent with the request. */
export interface RunControls {
  /**
   * Answers permission requests and questions; without it they are answered through `run.answer()`. The signal aborts
   * when the agent withdraws the request, another client answers it, it times out, or the run stops.
   */
  onRequest?: RequestHandler | undefined;
  /** Settles unanswered requests after a timeout, `by: 'timeout'`; by default they wait forever. */
  requests?: UnansweredRequests | undefined;
  /** Aborting it cancels the run. */
  signal?: AbortSignal | undefined;
}

/** A run request with its backend and controls. */
export type LaunchRequest<Schema extends OutputSchema = OutputSchema> = Omit<
  RunRequest,
  'outputSchema'
> &
  RunControls & {
    /** The name of the backend. */
    backend: string;
    /** A JSON Schema, or a Standard Schema such as one of Zod, that the answer must match. */
    outputSchema?: Schema | undefined;
  };

/** Starts an agent, in this program or through a daemon; rejects only if the request is invalid. */
export type Launch = <const Schema extends OutputSchema = OutputSchema>(
  request: LaunchRequest<Schema>,
) => Promise<AgentRun<StructuredOf<Schema>>>;

/** Prevents an unhandled rejection, which would end the program, if the caller ignores the promise. */
export function ignorable<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {});
  return promise;
}

/** The answer to a request that timed out. */
export function timeoutAnswer(
  { kind }: PendingRequest,
  { timeoutMs, otherwise = 'deny' }: UnansweredRequests,
): RequestAnswer {
  const reason = `No answer within ${timeoutMs / 1000} s.`;
  // A question cannot be answered on behalf of the user.
  if (kind === 'question') return { declined: true, reason, by: 'timeout' };
  if (otherwise === 'allow') return { decision: 'allow', by: 'timeout' };
  return { decision: 'deny', reason, by: 'timeout' };
}

/** Rejects an invalid policy for unanswered requests. */
export function checkRequests(requests: UnansweredRequests | undefined): void {
  if (requests === undefined) return;
  const { timeoutMs, otherwise = 'deny' } = requests;
  if (!(typeof timeoutMs === 'number' && timeoutMs >= 0)) {
    throw new BatonError(
      'usage',
      `requests.timeoutMs must be a number of milliseconds, not ${timeoutMs}.`,
    );
  }
  if (otherwise === 'deny' || otherwise === 'allow') return;
  throw new BatonError('usage', `requests.otherwise must be deny or allow, not ${otherwise}.`);
}
