import type { FolderTrust, OptionName, PermissionMode, RunOptions } from '@baton/protocol/values';
import type { Dialect, DialectOut, PromptInput, StreamEnd } from './dialect.ts';

/** The options of a conversation after defaults were filled in. */
export type ResolvedOptions = Omit<RunOptions, 'cwd' | 'env' | 'permissionMode'> & {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** The variables that the caller or the user's settings gave; the others are inherited. */
  givenVariables?: readonly string[];
  permissionMode: PermissionMode;
  /** Trust decision about the settings that the folder contains: hooks, MCP servers, plugins, rules. */
  trust: FolderTrust;
  /** Paths that are protected beside the built-in list. */
  protectedPaths: readonly string[];
};

export type LaunchInput = {
  options: ResolvedOptions;
  /** The session to resume: the requested one, or the conversation's own if its process was not kept. */
  resume: string | undefined;
  /** True to copy the resumed session instead of continuing it. */
  fork: boolean;
  /** The prompt of this process, for transports that take it at start. */
  prompt: PromptInput;
  /** The file to import of an agent that is a library. */
  library?: string | undefined;
  /** Writes a private file that exists as long as the process, and returns its path. */
  tempFile(name: string, content: string): string;
  /** Runs the agent's program to its end before it is started for the prompt, such as to copy a session. */
  runFirst(args: readonly string[]): Promise<FinishedCommand>;
};

/** Output and exit code of a finished command of the agent's program. */
export type FinishedCommand = { code: number | null; stdout: string; stderr: string };

/** True if the agent must not load the settings in its folder, because the folder is untrusted. */
export function withholdsSettings({ trust }: Pick<ResolvedOptions, 'trust'>): boolean {
  return !trust.trusted && trust.settings.length > 0;
}

/** Arguments, environment and input of the process to start. */
export type Launch = {
  args: string[];
  /** Variables for the agent beside the ones it inherits; one that is undefined is not inherited. */
  env?: Record<string, string | undefined>;
  /** `open`: the dialect talks to the agent. A text: it is sent and the input closed. `none`: there is no input. */
  stdin: 'open' | 'none' | { text: string };
};

/** Time limits for the steps of the stop ladder for this agent, in milliseconds. */
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
  /**
   * Resolves to the next matching line that the process of `launch` prints on standard output; rejects when it exits.
   */
  printed(fits: (line: string) => boolean): Promise<string>;
  /** Call with each message of the agent, which the dialect reads as a line. */
  onMessage(message: string): void;
  /** Call when the connection is over, with a reason if the other side ended it. */
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
  /** Returns the process to start before the connection; its standard output is for `connect` alone. */
  launch?(input: LaunchInput): Launch | Promise<Launch>;
  connect(input: ConnectInput): Promise<Channel>;
};

type DriverBase = {
  transport: string;
  /** True if one process or connection takes several prompts; mode `print` is for those that do not. */
  keepsProcess: boolean;
  /**
   * Milliseconds that an agent for one prompt may take to exit after the event that ended its turn; then it is ended.
   * Without it, Baton waits as long as it takes.
   */
  graceMs?: number;
  /**
   * True if the agent reports its usage after each reply of the model, once the tools of that reply have ended.
   * Otherwise the end of the tools counts as the end of a turn, even between two tools of one reply.
   */
  reportsEachCall?: boolean;
  /** True if the usage that the agent reports omits its sub-agents; the run then emits a notice. */
  omitsSubAgents?: boolean;
  /** Options that the agent supports, but not through this driver, each with the reason. */
  lacks?: Readonly<Partial<Record<OptionName, string>>>;
  /**
   * True if `launch` can keep the agent from loading the settings of an untrusted folder; otherwise it is refused
   * there.
   */
  canWithholdSettings?: boolean;
  /**
   * Files beside the settings that the agent loads from a folder or the folders above when it is started in this way. It
   * is refused if an untrusted folder has any, as with settings.
   */
  alsoLoads?: readonly string[];
  /** True to start the agent there anyway, with a warning: its command line must not be changed. */
  loadsSettings?: boolean;
  /**
   * True if the session that the caller resumes has another system prompt and `launch` cannot replace it. The new one
   * is then put in front of the first prompt; for `always`, where no session keeps one, without a mark to find it by.
   */
  lacksSystemPrompt?(options: ResolvedOptions): boolean | 'always';
  /**
   * True if the agent exited because another one was starting at the same time. Called only if it exited without
   * output, and so before it could act on the prompt; it is then started again.
   */
  isStartRace?(end: StreamEnd): boolean;
  dialect(out: DialectOut, input: Omit<LaunchInput, 'prompt' | 'tempFile' | 'runFirst'>): Dialect;
  stop: StopTimes;
};
