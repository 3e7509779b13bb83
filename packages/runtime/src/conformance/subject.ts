import type { Capabilities, Feature, OptionName, PermissionMode } from '@baton/protocol/values';
import type { Backend, OpenOptions } from '../definition/backend.ts';

/** One thing the model behind an agent is made to do. */
export type ScriptStep =
  | { think: string }
  | { say: string }
  | { shell: string }
  | { write: { path: string; content: string } }
  | { question: { question: string; options: string[] } }
  | { fail: FailureKind }
  | { hang: true };

/** The kinds of steps. */
export type StepKind = ScriptStep extends infer Step
  ? Step extends Step
    ? keyof Step
    : never
  : never;

/** The ways in which the service behind an agent can fail. */
export type FailureKind =
  | 'auth'
  | 'rate_limited'
  | 'overloaded'
  | 'server_error'
  | 'quota'
  | 'context_too_long';

/** A separate folder and environment for one case. */
export type World = {
  cwd: string;
  /** Options that every run in this world needs, such as the agent's environment. */
  options: Partial<OpenOptions>;
  /** Variables with which the clock of the agent is some minutes ahead, where that is possible. */
  later?(minutes: number): Record<string, string>;
  dispose(): Promise<void>;
};

/** A trap: a way in which files of a folder make an agent run a program. */
export type FolderHook = {
  name: string;
  /** Writes files into a folder, or near it, that run a command when the agent starts there. */
  plant(folder: string, command: string): void;
  /** The steps that spring the trap, for one that waits for more than the start of the agent. */
  steps?: readonly ScriptStep[];
  /** Whether the agent leaves these files alone in a trusted folder too. */
  isIgnored?: boolean;
};

/** What the suite needs in order to judge a backend. */
export type ConformanceSubject = {
  backend: Backend;
  world(): Promise<World>;
  /** Makes the model do something, and gives the prompt that sets it off. */
  prompt(steps: readonly ScriptStep[]): string;
  /** What the backend can do through the transport under test; its capabilities unless told. */
  capabilities?: Capabilities;
  /** Everything that the model was asked so far, one text for each request. */
  modelRequests?(): readonly string[];
  /** The name of a model that the agent takes, and that reaches the model's requests. */
  model?: string;
  /** An MCP server with a tool "say". */
  mcpServer?: { command: string; args: string[] };
  /** The steps that the model behind the agent can be made to do; all of them unless told. */
  steps?: readonly StepKind[];
  /** The failures that this agent reports with a specific code. */
  failures: readonly FailureKind[];
  /** Whether tools run in a program that Baton did not start, so that it cannot end what they leave behind. */
  runsElsewhere?: boolean;
  /** Whether the agent does not report what a command printed. */
  hidesCommandOutput?: boolean;
  /** Whether the agent does not report that a command failed. */
  hidesCommandFailure?: boolean;
  /** Whether the agent cannot give an answer that contains U+2028 or U+2029. */
  losesLineSeparators?: boolean;
  /** Whether Baton learns what a stopped run consumed: the agent tells it, or notes it down. */
  countsStopped?: boolean;
  /** Whether the agent itself ends what a command leaves running, so that Baton finds nothing. */
  endsLeftovers?: boolean;
  /** The same backend with another program in the place of the agent's. */
  withBinary?(path: string): Backend;
  /** A rule of the agent that allows commands which begin with some words, and nothing else of its shell tool. */
  narrowRule?(words: string): string;
  /** Everything in a folder's settings that makes the agent start a program; empty for an agent that starts nothing. */
  folderHooks: readonly FolderHook[];
  /** Writes settings into a folder that allow the agent everything, in every way it knows. */
  allowEverything?(folder: string): void;
  /** How the agent's program is found without a configured path. */
  lookup?: {
    /** What it is called. */
    program: string;
    /** Where a real one is. */
    path: string;
    /** The backend without a setting that names the program. */
    create(): Backend;
  };
  /** The text that makes the same backend work as `allow-all` here, where the agent's own bypass is refused. */
  allowAll?: Partial<OpenOptions>;
};

/** What a case can show at work. */
export type Proved = Feature | OptionName | PermissionMode;

/** One check; it throws when the backend does not pass. */
export type ConformanceCase = {
  name: string;
  /** Why the case does not apply to this backend. */
  skip?: string | undefined;
  /** The features, options and permission modes that it shows at work. */
  proves?: readonly Proved[];
  run(): Promise<void>;
};
