import type { AgentEvent } from './event.ts';
import type { PermissionRequest, QuestionRequest, RequestAnswer } from './permission.ts';
import type { RunRequest } from './run-request.ts';
import type { RunResult } from './run-result.ts';
import type { StopReport } from './stop.ts';

/** Something an agent waits for a person to settle. */
export type PendingRequest =
  | { kind: 'permission'; request: PermissionRequest }
  | { kind: 'question'; request: QuestionRequest };

/** What happened to an answer: it reached the agent, came after the request was settled, or fits no request. */
export type AnswerReceipt = 'accepted' | 'late' | 'unknown';

/** Now, in the same program; or later, where the agent is on another machine. */
type Soon<Value> = Value | Promise<Value>;

/** One execution of one prompt: a stream of events that ends with exactly one result. */
export interface AgentRun<Receipt = Soon<AnswerReceipt>> extends AsyncIterable<AgentEvent> {
  readonly runId: string;
  /** Settles when the run has ended; never rejects. */
  readonly result: Promise<RunResult>;
  /** Settles a permission request or a question. */
  answer(requestId: string, answer: RequestAnswer): Receipt;
  /** Gives the agent more to consider while it works. */
  steer(text: string): Soon<void>;
  /** Stops the run for certain; a second call forces it. */
  cancel(reason?: string): Promise<StopReport>;
}

/** What to run, and who runs it. */
export type LaunchRequest = RunRequest & {
  /** The name of the backend. */
  backend: string;
  /** Answers permission requests and questions; without it they are answered through `run.answer()`. */
  onRequest?: (pending: PendingRequest) => Soon<RequestAnswer>;
  /** Aborting it cancels the run. */
  signal?: AbortSignal;
};

/** Starts an agent, in this program or through a daemon; rejects only for a mistake in the request. */
export type Launch = (request: LaunchRequest) => Promise<AgentRun>;
