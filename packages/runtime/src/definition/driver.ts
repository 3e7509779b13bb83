import type { FolderTrust, OptionName, PermissionMode, RunOptions } from '@baton/protocol/values';
import type { Dialect, DialectOut, PromptInput, StreamEnd } from './dialect.ts';

/** The options of a conversation after defaults were filled in. */
export type ResolvedOptions = Omit<RunOptions, 'cwd' | 'env' | 'permissionMode'> & {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** The variables that the caller or the user's settings gave; the others are inherited. */
  givenVariables?: readonly string[];
  permissionMode: PermissionMode;
  /** Whether the agent may use the settings that the folder brings: hooks, MCP servers, plugins, rules. */
  trust: FolderTrust;
  /** Paths that are protected beside the built-in list. */
  protectedPaths: readonly string[];
};

export type LaunchInput = {
  options: ResolvedOptions;
  /** The session to go on with: the one asked for, or the conversation's own when its process was not kept. */
  resume: string | undefined;
  /** Whether the resumed session is to be copied instead of continued. */
  fork: boolean;
  /** The prompt of this process, for transports that take it at start. */
  prompt: PromptInput;
  /** The file to import of an agent that is a library. */
  library?: string | undefined;
  /** Writes a private file that lives as long as the process, and gives its path. */
  tempFile(name: string, content: string): string;
  /** Runs the agent's program to its end before it is started for the prompt, such as to copy a session. */
  runFirst(args: readonly string[]): Promise<FinishedCommand>;
};

/** What a command of the agent's program printed, and how it ended. */
export type FinishedCommand = { code: number | null; stdout: string; stderr: string };

/** Whether the agent must not load the settings in its folder, because it is untrusted. */
export function withholdsSettings({ trust }: Pick<ResolvedOptions, 'trust'>): boolean {
  return !trust.trusted && trust.settings.length > 0;
}

/** What to start. */
export type Launch = {
  args: string[];
  /** Variables for the agent beside the ones it inherits; one that is undefined is not inherited. */
  env?: Record<string, string | undefined>;
  /** `open`: the dialect talks to the agent. A text: it is sent and the input closed. `none`: there is no input. */
  stdin: 'open' | 'none' | { text: string };
};

/** How long each rung of the stop ladder may take for this agent, in milliseconds. */
export type StopTimes = {
  /** After the agent's own interrupt, until its turn has ended. */
  interruptMs: number;
  /** After its input was closed, at the end of a conversation or of an interrupted turn. */
  closeMs: number;
  /** The signal on which the agent cleans up after itself. */
  signal: NodeJS.Signals;
  signalMs: number;
};

/** The rungs that suit most agents. */
export const DEFAULT_STOP: StopTimes = {
  interruptMs: 400,
  closeMs: 3000,
  signal: 'SIGINT',
  signalMs: 400,
};

/** A connection to an agent. */
export type Channel = {
  /** Sends a frame of the dialect. */
  send(frame: string): void;
  /** Ends the connection; `onClose` must follow. */
  close(): void;
};

export type ConnectInput = Omit<LaunchInput, 'tempFile' | 'runFirst'> & {
  /** Gives the next line that the process of `launch` prints on standard output and that fits; rejects when it exits. */
  printed(fits: (line: string) => boolean): Promise<string>;
  /** Takes one message of the agent, which the dialect reads as a line. */
  onMessage(message: string): void;
  /** The connection is over; with a reason when the other side ended it. */
  onClose(reason?: string): void;
  /** Aborts when the connection is no longer needed. */
  signal: AbortSignal;
};

/** One way to talk to an agent: through the pipes of its process, or through a connection. */
export type AnyDriver = Driver | ConnectionDriver;

/** One way to talk to an agent that reads from standard input and prints lines. */
export type Driver = DriverBase & {
  launch(input: LaunchInput): Launch | Promise<Launch>;
  connect?: undefined;
};

/** One way to talk to an agent behind a connection, to a process that Baton starts, or to one that runs already. */
export type ConnectionDriver = DriverBase & {
  /** What to start before the connection; its standard output is for `connect` alone. */
  launch?(input: LaunchInput): Launch | Promise<Launch>;
  connect(input: ConnectInput): Promise<Channel>;
};

type DriverBase = {
  transport: string;
  /** Whether one process or connection takes several prompts; mode `print` is for those that do not. */
  keepsProcess: boolean;
  /**
   * How long an agent for one prompt may take to exit after the event that ended its turn, in milliseconds; then it is
   * ended. Without it Baton waits as long as it takes.
   */
  graceMs?: number;
  /**
   * Whether the agent reports its usage after each reply of the model, once the tools of that reply have ended. Without
   * it the end of the tools counts as the end of a turn, also between two tools of one reply.
   */
  reportsEachCall?: boolean;
  /** Options that the agent has but not in this way, and why. */
  lacks?: Readonly<Partial<Record<OptionName, string>>>;
  /** Whether `launch` can prevent the agent from loading the settings of an untrusted folder; else it is refused there. */
  canWithholdSettings?: boolean;
  /** Whether the agent is started there all the same, with a warning: its command line must not be changed. */
  loadsSettings?: boolean;
  /**
   * Whether the session that the caller resumes goes by another system prompt and cannot be given this one by `launch`.
   * It is then put in front of the first prompt; `always`, where no session keeps one, without a mark to find it by.
   */
  lacksSystemPrompt?(options: ResolvedOptions): boolean | 'always';
  /**
   * Whether the agent left because another one was starting at the same time. Asked only when it left without a word
   * and so before it could act on the prompt; it is then started again.
   */
  isStartRace?(end: StreamEnd): boolean;
  dialect(out: DialectOut, input: Omit<LaunchInput, 'prompt' | 'tempFile' | 'runFirst'>): Dialect;
  stop: StopTimes;
};
