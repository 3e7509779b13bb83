import type { Backend, OpenOptions } from '../backend.ts';

/** One thing the model behind an agent is made to do. */
export type ScriptStep =
  | { think: string }
  | { say: string }
  | { shell: string }
  | { write: { path: string; content: string } }
  | { question: { question: string; options: string[] } }
  | { fail: FailureKind }
  | { hang: true };

/** The ways in which the service behind an agent can fail. */
export type FailureKind =
  | 'auth'
  | 'rate_limited'
  | 'overloaded'
  | 'server_error'
  | 'quota'
  | 'context_too_long';

/** A folder and an environment of its own for one case. */
export type World = {
  cwd: string;
  /** Options that every run in this world needs, such as the agent's environment. */
  options: Partial<OpenOptions>;
  dispose(): Promise<void>;
};

/** A way in which the settings of a folder start a program. */
export type FolderHook = {
  name: string;
  /** Writes settings into a folder that run a command at the start of the agent. */
  plant(folder: string, command: string): void;
};

/** What the suite needs in order to judge a backend. */
export type ConformanceSubject = {
  backend: Backend;
  world(): Promise<World>;
  /** Makes the model do something, and gives the prompt that sets it off. */
  prompt(steps: readonly ScriptStep[]): string;
  /** The failures that this agent reports with a code of its own. */
  failures: readonly FailureKind[];
  /** The same backend with another program in the place of the agent's. */
  withBinary?(path: string): Backend;
  /** A rule of the agent that allows commands which begin with some words, and nothing else of its shell tool. */
  narrowRule?(words: string): string;
  /** Everything in a folder's settings that makes the agent start a program; empty for an agent that starts nothing. */
  folderHooks: readonly FolderHook[];
  /** How the agent's program is found when nobody says where it is. */
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

/** One check; it throws when the backend does not pass. */
export type ConformanceCase = {
  name: string;
  /** Why the case does not apply to this backend. */
  skip?: string | undefined;
  run(): Promise<void>;
};
