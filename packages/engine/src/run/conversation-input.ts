import type { FolderTrust, ParseOutput } from '@baton/protocol/values';
import type { Backend, PromptOptions, RunHooks } from '../definition/backend.ts';
import type { AnyDriver, ResolvedOptions } from '../definition/driver.ts';
import type { Limits } from '../emulate/limits.ts';

/** Location of an agent's program. */
export type LocatedAgent = {
  path: string;
  /** The file to import of an agent that is a library; `path` is Node then. */
  library?: string | undefined;
  /** The arguments that come first, where the user gave a command. */
  args?: readonly string[] | undefined;
  /** Source of the program: the setting or variable that names it, `PATH`, or the folder. */
  foundBy?: string;
  version?: string | undefined;
  /** Programs of that name which were passed over because the workspace brought them. */
  skipped: readonly string[];
};

/** The checked options of a prompt. */
export type Configuration = {
  options: ResolvedOptions;
  /** The options that Baton carries out in the agent's place. */
  emulated: { systemPrompt?: string | undefined } & Limits;
  /** Parses an answer with the library of the output schema. */
  parse: ParseOutput | undefined;
};

/** Everything that a conversation needs to run its agent. */
export type ConversationInput = {
  backend: Pick<Backend, 'id' | 'label' | 'capabilities'>;
  driver: AnyDriver;
  /** The options of prompts without their own. */
  opened: Configuration;
  /** Checks the options of one prompt together with those of the conversation; throws when the agent cannot have them. */
  configure(changes: PromptOptions): Configuration;
  hooks: RunHooks;
  /** Finds the agent's program; throws when it is not there. */
  locate(): LocatedAgent;
  /** Refuses to start the agent, such as in a folder that brings settings by now. */
  check(options: ResolvedOptions): void;
  /** Removes inherited secrets that the agent has no use for. */
  withoutForeignKeys(options: ResolvedOptions): Promise<ResolvedOptions>;
  /** Returns the trust decision about the folder, and the settings that it contains right now. */
  trust(): FolderTrust;
};
