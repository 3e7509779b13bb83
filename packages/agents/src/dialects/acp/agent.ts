import type { Json } from '@baton/config/values/json';
import type { ImageData } from '@baton/engine/kit/image-file';
import type { WordsRule } from '@baton/engine/normalize/end-verdict';
import type { Action, Usage } from '@baton/protocol/values';
import type { UsageScope } from './usage.ts';

/** Properties of one agent that speaks the Agent Client Protocol. */
export type AcpAgent = {
  /** The name that people know it by. */
  label: string;
  /** The name by which it introduces itself, for reading recordings. */
  agentName?: string | undefined;
  /** Lines that it prints on standard error in healthy runs. */
  noise?: readonly RegExp[];
  /** Error codes by error text; the first match counts. */
  words?: readonly WordsRule[];
  /** The tool behind a call, where the call itself does not name it. */
  toolName?(call: Json): string | undefined;
  /** The call of an MCP tool, by the name of the tool and the names of the run's servers. */
  mcpAction?(name: string, input: unknown, servers: readonly string[]): Action | undefined;
  /** Returns the exit code of a command, where only its output contains it. */
  exitCode?(output: string): number | undefined;
  /** True if a text comes from the program itself, not from the model. */
  isOwnText?(text: string): boolean;
  /**
   * True if the text that a turn ends with is the error of a model that failed. Called if the response reports no
   * usage.
   */
  isErrorText?: ((text: string) => boolean) | undefined;
  /** True if it silently ignores MCP servers that are programs. */
  ignoresMcpPrograms?: boolean | undefined;
  /** The scope of the counts in the field `usage` of an answer. */
  usageScope?: UsageScope | undefined;
  /** Returns the usage of a prompt from its response; by default, from the field `usage`. */
  usage?(result: Json): Usage | undefined;
  /** Returns the usage by model, where the agent reports it. */
  usageByModel?(result: Json): Readonly<Record<string, Usage>> | undefined;
};

/** Known properties of an agent that has no code of its own. */
export type AcpTraits = Pick<AcpAgent, 'usageScope' | 'isErrorText' | 'ignoresMcpPrograms'>;

/** Session to open before the first prompt. */
export type AcpSession = {
  cwd: string;
  /** MCP servers in the form of the protocol. */
  mcpServers: readonly Json[];
  /** The session to resume. */
  resume?: string | undefined;
  /** True to copy that session instead. */
  fork?: boolean | undefined;
  /** The agent's mode for the permission mode of the run; the run fails if the agent does not have it. */
  mode?: string | undefined;
  model?: string | undefined;
  /** True to grant every request of the agent without asking. */
  allowsAll?: boolean | undefined;
  /** Login method, if the agent requires a login first. */
  authMethod?: string | undefined;
  readImage: (image: ImageData | { path: string }) => ImageData;
};
