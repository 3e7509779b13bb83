import type {
  AgentEvent,
  Capabilities,
  PermissionRequest,
  Probe,
  QuestionRequest,
  RequestAnswer,
  RunOptions,
  RunRequest,
  RunResult,
  StopReport,
} from '@baton/protocol';

/** Something an agent waits for a person to settle. */
export type PendingRequest =
  | { kind: 'permission'; request: PermissionRequest }
  | { kind: 'question'; request: QuestionRequest };

/** What happened to an answer: it reached the agent, came after the request was settled, or fits no request. */
export type AnswerReceipt = 'accepted' | 'late' | 'unknown';

/** What only makes sense inside one program and therefore is no part of a request that travels. */
export type RunHooks = {
  /** Answers permission requests and questions; without it they are answered through `run.answer()`. */
  onRequest?: (pending: PendingRequest) => RequestAnswer | Promise<RequestAnswer>;
  /** Aborting it cancels the run. */
  signal?: AbortSignal;
  /** Told what is about to be started, for people who want to see it. */
  onLaunch?: (command: LaunchedCommand) => void;
};

export type LaunchedCommand = {
  file: string;
  args: readonly string[];
  cwd: string;
  transport: string;
};

export type OpenOptions = RunOptions & RunHooks;
export type RunInput = RunRequest & RunHooks;

/** One execution of one prompt: a stream of events that ends with exactly one result. */
export interface AgentRun extends AsyncIterable<AgentEvent> {
  readonly runId: string;
  /** Settles when the run has ended; never rejects. */
  readonly result: Promise<RunResult>;
  /** Settles a permission request or a question. */
  answer(requestId: string, answer: RequestAnswer): AnswerReceipt;
  /** Gives the agent more to consider while it works. */
  steer(text: string): void;
  /** Stops the run for certain; a second call forces it. */
  cancel(reason?: string): Promise<StopReport>;
}

/** An agent kept ready for one prompt after another. */
export interface Conversation {
  /** The agent's own name of this conversation, once it is known. */
  readonly nativeSessionId: string | undefined;
  /** Runs one prompt; the one before must have ended. */
  run(prompt: string, input?: Pick<RunInput, 'images' | 'signal'>): AgentRun;
  /** Ends the agent and everything it started. */
  close(): Promise<StopReport>;
}

/** The settings of a backend that belong to the machine and not to a run. */
export type BackendSettings = {
  /** Where the agent's program is, when it is not found by itself. */
  binary?: string;
};

/** The adapter to one agent. */
export interface Backend {
  readonly id: string;
  /** The name that people know the agent by. */
  readonly label: string;
  readonly capabilities: Capabilities;
  /** The names of the options that only this agent has. */
  readonly providerOptions?: readonly string[] | undefined;
  /** Finds out whether the agent can be used on this machine, without starting a conversation. */
  probe(options?: Pick<RunOptions, 'cwd' | 'env'>): Promise<Probe>;
  /** Starts a conversation. */
  open(options: OpenOptions): Promise<Conversation>;
  /** Opens, runs one prompt and closes; throws only for a mistake in the request. */
  run(request: RunInput): AgentRun;
  /** Hands the terminal to the agent's own interface. */
  interactive?(options: OpenOptions & { prompt?: string }): Promise<{ exitCode: number }>;
}
