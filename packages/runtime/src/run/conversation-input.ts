import type { FolderTrust, ParseOutput } from '@baton/protocol/values';
import type { Backend, PromptOptions, RunHooks } from '../definition/backend.ts';
import type { AnyDriver, ResolvedOptions } from '../definition/driver.ts';
import type { Limits } from '../emulate/limits.ts';

/** Where an agent's program is. */
export type LocatedAgent = {
  path: string;
  /** The file to import of an agent that is a library; `path` is Node then. */
  library?: string | undefined;
  /** The arguments that come first, where the user gave a command. */
  args?: readonly string[] | undefined;
  /** How it was found: the setting or variable that names it, `PATH`, or the folder. */
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
  /** How the library of the output schema parses an answer. */
  parse: ParseOutput | undefined;
};

/** What a conversation needs to know about its agent. */
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
  /** Tells what was decided about the folder, and which settings it brings right now. */
  trust(): FolderTrust;
};
