import type {
  AgentEvent,
  ErrorInfo,
  EventOf,
  EventType,
  ImageInput,
  Outcome,
  RequestAnswer,
  Usage,
} from '@baton/protocol/values';

type Stamped = 'seq' | 'time' | 'runId';
type Draft<E> = E extends AgentEvent ? Omit<E, Stamped> : never;

/** An event before it is stamped with its number, time and run. */
export type Unstamped = Draft<AgentEvent>;

/** An event as a dialect emits it; the dialect may omit what the recorder fills in. */
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

/** The agent's report on the end of a turn. */
export type Verdict = {
  outcome: Outcome;
  /** The final answer; without it the last text message counts. */
  output?: string | undefined;
  structured?: unknown;
  /** Usage of this turn. */
  usage?: Usage | undefined;
  /** Usage by the name of the model, where the agent reports it; used to price an agent that reports no cost. */
  usageByModel?: Readonly<Record<string, Usage>> | undefined;
  error?: ErrorInfo | undefined;
};

/** End of the agent's process, or of a recording of it. Nothing is known about a recording that just stops. */
export type StreamEnd = {
  code?: number | null | undefined;
  signal?: string | null | undefined;
  stderr: string;
  /** Reason why the connection to the agent was lost, if there was one. */
  lost?: string | undefined;
};

/** Time limit of a turn that waits for background work, and the callback for reaching it. */
export type BackgroundWait = { limitMs?: number | undefined; onLimit(): void };

/** Output of a dialect, which calls it while it reads lines; the conversation implements it. */
export interface DialectOut {
  emit(draft: EventDraft): void;
  /** Sends a frame to the agent. */
  write(frame: string): void;
  /** Call once when the agent has ended its turn, with its verdict. Without it the turn ends when the process exits. */
  complete(verdict: Verdict): void;
  /**
   * Call when the agent has answered but continues in the background, which is part of its turn; call without a wait
   * when that is over. Silence is not a timeout meanwhile. A recording ignores it.
   */
  awaitBackground?(wait: BackgroundWait | undefined): void;
  /**
   * Ends a turn in which the agent would retry forever: ends the process, and fails the turn with this error. A
   * recording has no process to end and ignores it.
   */
  giveUp?(error: ErrorInfo): void;
  /**
   * Stops the run like any stop, because the agent ended a turn at one of its own limits but would continue with
   * another turn, in which it counts from zero. A recording has nothing to stop and ignores it.
   */
  passLimit?(error: ErrorInfo): void;
}

export type PromptInput = { text: string; images: readonly ImageInput[] };

/**
 * The protocol of one agent without I/O of its own: lines go in, events and frames come out. The same object reads a
 * live agent and a recording.
 */
export interface Dialect {
  /** Called once after the process started, before the first prompt: sends the handshake. */
  open?(): void;
  /** Called for each prompt: sends it. */
  prompt?(prompt: PromptInput): void;
  /** Called for each line of standard output, in order. */
  line(line: string): void;
  /** Called for each line of standard error; return true when the dialect reported it, so no notice is emitted. */
  stderrLine?(line: string): boolean;
  /** Called with the answer to a request that the dialect emitted: sends it. The agent waits until then. */
  answer?(requestId: string, answer: RequestAnswer): void;
  steer?(text: string): void;
  /**
   * Called on a stop: asks the agent to end its turn. Return false when there is nothing to interrupt; then a signal
   * follows at once.
   */
  interrupt?(): boolean;
  /** Called before the input is closed, possibly more than once: sends what the agent expects then. */
  close?(): void;
  /**
   * Called when the process has exited or the recording ends: returns the verdict of a turn that is still open, else
   * nothing.
   */
  end(end: StreamEnd): Verdict | undefined;
}

/** One way an agent's output can look, and how to tell it from the others. */
export type DialectEntry = {
  transport: string;
  /** True if a line can only come from this dialect. */
  recognises(line: string): boolean;
  /** True if a line could begin this dialect, unless a later line proves another one. */
  mayBe?(line: string): boolean;
  create(out: DialectOut): Dialect;
};
