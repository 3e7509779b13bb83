import type {
  AgentEvent,
  ErrorInfo,
  EventOf,
  EventType,
  ImageInput,
  Outcome,
  RequestAnswer,
  Usage,
} from '@baton/protocol';

type Stamped = 'seq' | 'time' | 'runId';
type Draft<E> = E extends AgentEvent ? Omit<E, Stamped> : never;

/** An event before it is stamped with its number, time and run. */
export type Unstamped = Draft<AgentEvent>;

/** An event as a dialect gives it: what the recorder can work out itself may be left away. */
export type EventDraft =
  | Draft<
      Exclude<
        AgentEvent,
        {
          type:
            | 'run.started'
            | 'run.completed'
            | 'message.completed'
            | 'tool.completed'
            | 'message.delta';
        }
      >
    >
  | Omit<EventOf<'message.delta'>, Stamped | 'kind'>
  | (Omit<EventOf<'message.completed'>, Stamped | 'kind' | 'text'> & { text?: string | undefined })
  | (Omit<EventOf<'tool.completed'>, Stamped | 'name' | 'action'> &
      Partial<Pick<EventOf<'tool.completed'>, 'name' | 'action'>>);

export type DraftOf<Type extends EventType> = Extract<EventDraft, { type: Type }>;

/** What the agent says about the end of a turn. */
export type Verdict = {
  outcome: Outcome;
  /** The final answer; without it the last text message counts. */
  output?: string | undefined;
  structured?: unknown;
  /** What this turn consumed. */
  usage?: Usage | undefined;
  error?: ErrorInfo | undefined;
};

/** How the agent's process, or a recording of it, ended. Nothing is known of a recording that just stops. */
export type StreamEnd = {
  code?: number | null | undefined;
  signal?: string | null | undefined;
  stderr: string;
};

/** Where a dialect puts what it understood. */
export interface DialectOut {
  emit(draft: EventDraft): void;
  /** Sends a frame to the agent. */
  write(frame: string): void;
  /** The agent has ended its turn. */
  complete(verdict: Verdict): void;
  /**
   * Ends a turn in which the agent would retry for ever: the process is ended, and the turn has failed with this
   * error. A recording has no process to end and ignores it.
   */
  giveUp?(error: ErrorInfo): void;
}

export type PromptInput = { text: string; images: readonly ImageInput[] };

/**
 * The protocol of one agent without any input or output of its own: lines go in, events and frames come out.
 * The same object reads a live agent and a recording.
 */
export interface Dialect {
  /** Sends what the agent expects before the first prompt. */
  open?(): void;
  /** Begins a turn. */
  prompt?(prompt: PromptInput): void;
  /** Reads one line of standard output. */
  line(line: string): void;
  /** Reads one line of standard error; true when it has told of it, so that no notice does. */
  stderrLine?(line: string): boolean;
  /** Sends the answer to a request that was emitted before. */
  answer?(requestId: string, answer: RequestAnswer): void;
  steer?(text: string): void;
  /** Asks the agent to stop its turn; false when there is nothing to interrupt. */
  interrupt?(): boolean;
  /** The stream is over: judges a turn that the agent did not end itself; nothing when no turn was open. */
  end(end: StreamEnd): Verdict | undefined;
}

/** One way an agent's output can look, and how to tell it from the others. */
export type DialectEntry = {
  transport: string;
  /** Whether a line of output could only come from this dialect. */
  recognises(line: string): boolean;
  /** Whether a line could be the beginning of this dialect, if no later one leaves no doubt of another. */
  mayBe?(line: string): boolean;
  create(out: DialectOut): Dialect;
};
