import type {
  AnswerReceipt,
  Capabilities,
  CommandInfo,
  FolderTrust,
  Introduction,
  PendingRequest,
  Probe,
  AgentRun as ProtocolRun,
  RequestAnswer,
  RunOptions,
  RunRequest,
  StopReport,
} from '@baton/protocol';

import type { TrustDecisions } from './trust/trusted-folders.ts';

export type { AnswerReceipt, PendingRequest } from '@baton/protocol';

/** What only makes sense inside one program and therefore is no part of a request that travels. */
export type RunHooks = {
  /** The name of the run, which nothing else may have; a new one unless told otherwise. */
  runId?: string;
  /** Answers permission requests and questions; without it they are answered through `run.answer()`. */
  onRequest?: (pending: PendingRequest) => RequestAnswer | Promise<RequestAnswer>;
  /** Aborting it cancels the run. */
  signal?: AbortSignal;
  /** Told what is about to be started, for people who want to see it. */
  onLaunch?: (command: LaunchedCommand) => void;
  /** Told every line that the agent prints, as it is. */
  onPrinted?: (line: string, stream: 'stdout' | 'stderr') => void;
  /** Gives the command that is really started, such as one that confines the agent. */
  confine?: Confine;
  /** Whether the agent may use the settings of the folder; without it, what the user and the agent decided about it. */
  trusted?: boolean;
  /**
   * An agent that is kept ready and has more processes than this is ended before its next prompt, which a new one gets
   * in the same session: some agents leak the servers that they start.
   */
  maxProcesses?: number;
};

/** What is about to be started, before it is confined. */
export type ConfinedCommand = {
  file: string;
  args: readonly string[];
  cwd: string;
  /** A folder of private files that the agent must be able to read. */
  files?: string | undefined;
};
export type Confine = (command: ConfinedCommand) => Pick<ConfinedCommand, 'file' | 'args'>;

export type LaunchedCommand = {
  file: string;
  args: readonly string[];
  cwd: string;
  transport: string;
};

export type OpenOptions = RunOptions & RunHooks;
export type RunInput = RunRequest & RunHooks;

/** A run in this program, where an answer reaches the agent at once. */
export type AgentRun = ProtocolRun<AnswerReceipt>;

/** An agent kept ready for one prompt after another. */
export interface Conversation {
  /** The agent's own name of this conversation, once it is known. */
  readonly nativeSessionId: string | undefined;
  /** Runs one prompt; the one before must have ended. */
  run(prompt: string, input?: Pick<RunInput, 'images' | 'signal' | 'runId'>): AgentRun;
  /** Ends the agent and everything it started. */
  close(): Promise<StopReport>;
}

/** The settings of a backend that belong to the machine and not to a run. */
export type BackendSettings = {
  /** Where the agent's program is, when it is not found by itself. */
  binary?: string;
  /** What the user decided about folders that bring settings for agents. */
  trust?: TrustDecisions;
  /** Paths that are protected beside the built-in list. */
  protectedPaths?: readonly string[];
};

/** An option that only one agent has. */
export type ProviderOption = {
  /** What a form for it has to know, as a JSON Schema. */
  schema: Readonly<Record<string, unknown>>;
  fits(value: unknown): boolean;
  /** What it must be, in words. */
  what: string;
};
export type ProviderOptions = Readonly<Record<string, ProviderOption>>;

/** The adapter to one agent. */
export interface Backend {
  readonly id: string;
  /** The name that people know the agent by. */
  readonly label: string;
  readonly capabilities: Capabilities;
  /** The options that only this agent has, by their names. */
  readonly providerOptions?: ProviderOptions | undefined;
  /** Finds out whether the agent can be used on this machine, without starting a conversation. */
  probe(options?: Pick<RunOptions, 'cwd' | 'env'>): Promise<Probe>;
  /** The agent's own settings in a folder, by their paths: they are protected, and withheld until a person trusts the folder. */
  readonly settingsPaths: readonly string[];
  /** Tells whether the agent may use the settings of a folder, and which ones there are. */
  trustOf(options?: Pick<RunOptions, 'cwd' | 'env'>): FolderTrust;
  /**
   * Asks the agent which models and commands it has, in the environment that is given; without it, nobody knows.
   * Programs from the workspaces are never used.
   */
  introduce?(
    env: Readonly<Record<string, string | undefined>>,
    workspaces?: readonly string[],
  ): Promise<Introduction>;
  /** The commands that a trusted folder brings for the agent beside its own. */
  commandsIn?(options?: Pick<RunOptions, 'cwd' | 'env'>): CommandInfo[];
  /** Starts a conversation. */
  open(options: OpenOptions): Promise<Conversation>;
  /** Opens, runs one prompt and closes; throws only for a mistake in the request. */
  run(request: RunInput): AgentRun;
  /** Hands the terminal to the agent's own interface. */
  interactive?(options: OpenOptions & { prompt?: string }): Promise<{ exitCode: number }>;
}
