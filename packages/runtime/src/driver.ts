import type { FolderTrust, OptionName, PermissionMode, RunOptions } from '@baton/protocol';
import type { Dialect, DialectOut, PromptInput, StreamEnd } from './dialect.ts';

/** The options of a conversation after defaults were filled in. */
export type ResolvedOptions = Omit<RunOptions, 'cwd' | 'env' | 'permissionMode'> & {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
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
  /** Writes a private file that lives as long as the process, and gives its path. */
  tempFile(name: string, content: string): string;
};

/** Whether the agent must be kept from the settings that a folder brings, because nobody trusted it. */
export function withholdsSettings({ trust }: Pick<ResolvedOptions, 'trust'>): boolean {
  return !trust.trusted && trust.settings.length > 0;
}

/** What to start. */
export type Launch = {
  args: string[];
  /** Variables for the agent beside the ones it inherits. */
  env?: Record<string, string>;
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

/** One way to talk to an agent. */
export type Driver = {
  transport: string;
  /** Whether one process takes several prompts; mode `print` is for those that do not. */
  keepsProcess: boolean;
  /** Options that the agent has but not in this way, and why. */
  lacks?: Readonly<Partial<Record<OptionName, string>>>;
  /** Whether `launch` can keep the agent from the settings of a folder that nobody trusted. */
  canWithholdSettings?: boolean;
  /**
   * Whether the session that the caller resumes does not know the system prompt yet and cannot be given it by `launch`.
   * It is then put in front of the first prompt.
   */
  lacksSystemPrompt?(options: ResolvedOptions): boolean;
  /**
   * Whether the agent left because another one was starting at the same time. Asked only when it left without a word
   * and so before it could act on the prompt; it is then started again.
   */
  isStartRace?(end: StreamEnd): boolean;
  launch(input: LaunchInput): Launch | Promise<Launch>;
  dialect(out: DialectOut, input: Omit<LaunchInput, 'prompt' | 'tempFile'>): Dialect;
  stop: StopTimes;
};
