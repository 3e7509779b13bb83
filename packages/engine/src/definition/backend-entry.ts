import type { BinarySearch, LibrarySearch } from '@baton/process';
import type {
  AgentCatalog,
  Capabilities,
  CommandInfo,
  ErrorInfo,
  OptionName,
  Probe,
} from '@baton/protocol/values';
import type { ProviderOptions } from './backend.ts';
import type { DialectEntry } from './dialect.ts';
import type { AnyDriver, LaunchInput, ResolvedOptions } from './driver.ts';
import type { McpFile } from './mcp-file.ts';

/** The version of the interface between Baton and a backend. It grows with every incompatible change. */
export const SPEC_VERSION = 1;

type Environment = Readonly<Record<string, string | undefined>>;

/** All that is known of an agent before its adapter is loaded; loading it must cost next to nothing. */
export type BackendEntry = {
  /** The version of this interface that the backend was written for. */
  specVersion: typeof SPEC_VERSION;
  /** The canonical name, in lower case. */
  id: string;
  /** The name that people know the agent by. */
  label: string;
  /** Other names for it; the first is the one that people type. */
  aliases?: readonly string[];
  /** Capabilities of the agent, and the support for each option. */
  capabilities: Capabilities;
  /** The releases of the agent that the backend is tested with; others may work, and `doctor` says so. */
  testedVersions?: { oldest: string; newest: string };
  /** The command that installs the agent, or a sentence that says how, with a period. */
  install: string;
  /** The npm package of the agent's program, for `baton backends install`; nothing where npm does not have it. */
  npmPackage?: string;
  /**
   * Search for the agent's program; a fixed command for one that comes with Node or the backend; the packages of an
   * agent that is a library, which Node runs; omitted for an agent that Baton only connects to.
   */
  binary?: BinarySearch | { command: string; version: string } | { library: LibrarySearch };
  /**
   * Paths of the agent's settings in a folder: hooks, tool servers, plugins, rules. They are withheld until a person
   * trusts the folder, and no agent may edit them without asking. Empty if the agent reads nothing from the folder.
   */
  settingsPaths: readonly string[];
  /** Settings of Baton that the adapter reads as variables: the variable of each, by the name of the setting. */
  settingVariables?: Readonly<Record<string, string>>;
  /** Format of a model name, such as `PROVIDER/MODEL`, for an agent that has no default model. */
  modelPlaceholder?: string;
  /** True if it only demonstrates Baton: it is never suggested in place of a real agent. */
  isDemo?: boolean;
  /** The variables that hold the secrets of its provider: no other agent needs them. */
  keyVariables?(env: Environment): Promise<readonly string[]>;
  /** The files and folders of the agent's own state: it must be able to write them, and no one else. */
  ownPaths?(env: Environment): Promise<readonly string[]>;
  /** File in which the agent keeps the MCP servers of its user, for `baton mcp`; omitted if it keeps none. */
  mcpFile?: McpFile;
  /** Loads the code that talks to the agent. */
  load(): Promise<Adapter>;
};

export type Credentials = Pick<Probe, 'credentials' | 'credentialSource'> & {
  /** Advice to the user if they are missing. */
  hint?: string | undefined;
};
export type Surroundings = { env: Environment; home: string; cwd: string };

/** A question for the models and commands of an agent, without a prompt. */
export type CatalogQuery = {
  args: readonly string[];
  /** Lines to send to the agent. */
  frames: readonly string[];
  /** Reads a line of the agent; returns undefined if it is not the answer. */
  read(line: string): AgentCatalog | undefined;
};

/** The code that talks to one agent. */
export type Adapter = {
  /** The ways to talk to the agent, the best first. */
  drivers: readonly AnyDriver[];
  /** The formats of output that `baton normalize` can read, and how to tell them apart. */
  dialects?: readonly DialectEntry[];
  /** The options that only this agent has, by their names. */
  providerOptions?: ProviderOptions;
  /** Looks for credentials without using them; an agent without it needs none. */
  credentials?: ((around: Surroundings) => Credentials) | undefined;
  /** Connects to an agent without a program, for `probe`; throws a BatonError that says why it cannot be used. */
  reach?(around: Surroundings): Promise<{ path: string; version?: string }>;
  /** Returns the user's decision in the agent itself about trusting a folder; undefined without a decision. */
  trusts?: ((around: Surroundings) => boolean | undefined) | undefined;
  /** Query for the agent's models and commands, if it supports one. */
  catalog?: CatalogQuery;
  /** The commands that a folder brings for the agent, found without running anything. */
  folderCommands?(cwd: string): CommandInfo[];
  /** Returns other problems that would keep the agent from running here. */
  problems?: ((around: Surroundings) => ErrorInfo[] | Promise<ErrorInfo[]>) | undefined;
  /** Throws if this agent does not support a combination of options. */
  check?(options: ResolvedOptions): void;
  /** The arguments of the agent's own interface; private files live as long as it runs. */
  interactiveArgs?(
    options: ResolvedOptions & { prompt?: string | undefined },
    tempFile: LaunchInput['tempFile'],
  ): string[];
  /**
   * The options that the agent's own interface does not have: asking for one is an error. Without `systemPrompt`, Baton
   * puts the system prompt in front of the first prompt.
   */
  interactiveLacks?: readonly OptionName[];
};

/** A complete backend, as `defineBackend` takes it. */
export type BackendSpec = Pick<
  BackendEntry,
  'id' | 'label' | 'capabilities' | 'install' | 'binary' | 'settingsPaths'
> &
  Adapter;
