import type { Backend, OpenOptions } from '@baton/engine/definition/backend';
import type { Capabilities, Feature, OptionName, PermissionMode } from '@baton/protocol/values';

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
  /** True if the agent ignores these files in a trusted folder too. */
  isIgnored?: boolean;
};

/** A backend under test, and what the suite needs in order to judge it. */
export type ConformanceSubject = {
  backend: Backend;
  world(): Promise<World>;
  /** Makes the model do something, and returns the prompt that triggers it. */
  prompt(steps: readonly ScriptStep[]): string;
  /** Capabilities of the backend through the transport under test; by default, its own. */
  capabilities?: Capabilities;
  /** Everything that the model was asked so far, one text for each request. */
  modelRequests?(): readonly string[];
  /** The name of a model that the agent takes, and that reaches the model's requests. */
  model?: string;
  /** An MCP server with a tool "say". */
  mcpServer?: { command: string; args: string[] };
  /** The steps that the model behind the agent can be made to do; all of them by default. */
  steps?: readonly StepKind[];
  /** The failures that this agent reports with a specific code. */
  failures: readonly FailureKind[];
  /** True if tools run in a program that Baton did not start, so Baton cannot end what they leave behind. */
  runsElsewhere?: boolean;
  /** True if the agent does not report the output of a command. */
  hidesCommandOutput?: boolean;
  /** True if the agent does not report that a command failed. */
  hidesCommandFailure?: boolean;
  /** True if the agent cannot return an answer that contains U+2028 or U+2029. */
  losesLineSeparators?: boolean;
  /** True if Baton learns the usage of a stopped run: the agent reports it, or records it. */
  countsStopped?: boolean;
  /** True if the agent itself ends processes that a command leaves running, so Baton finds none. */
  endsLeftovers?: boolean;
  /** The same backend with another program in the place of the agent's. */
  withBinary?: ((path: string) => Backend) | undefined;
  /** A rule of the agent that allows commands which begin with some words, and nothing else of its shell tool. */
  narrowRule?: ((words: string) => string) | undefined;
  /** Everything in a folder's settings that makes the agent start a program; empty for an agent that starts nothing. */
  folderHooks: readonly FolderHook[];
  /** Writes settings into a folder that allow the agent everything, in every way it knows. */
  allowEverything?: ((folder: string) => void) | undefined;
  /** Lookup of the agent's program without a configured path. */
  lookup?:
    | {
        /** Name of the program. */
        program: string;
        /** Path of a real one. */
        path: string;
        /** The backend without a setting that names the program. */
        create(): Backend;
      }
    | undefined;
  /** Options that make the backend work as `allow-all` here, where the agent's own bypass is refused. */
  allowAll?: Partial<OpenOptions>;
};

/** A feature, option or permission mode that a case can prove. */
export type Proved = Feature | OptionName | PermissionMode;

/** One check; it throws when the backend does not pass. */
export type ConformanceCase = {
  name: string;
  /** Reason why the case does not apply to this backend. */
  skip?: string | undefined;
  /** The features, options and permission modes that it shows at work. */
  proves?: readonly Proved[];
  run(): Promise<void>;
};
