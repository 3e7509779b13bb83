import type { Action, Usage } from '@baton/protocol/values';
import type { WordsRule } from '../../kit/end-verdict.ts';
import type { ImageData } from '../../kit/image-file.ts';
import type { Json } from '../../normalize/json.ts';
import type { UsageScope } from './usage.ts';

/** What is particular to one agent that speaks the Agent Client Protocol. */
export type AcpAgent = {
  /** The name that people know it by. */
  label: string;
  /** The name by which it introduces itself, for reading recordings. */
  agentName?: string | undefined;
  /** Lines that it prints on standard error in healthy runs. */
  noise?: readonly RegExp[];
  /** What its words mean when it fails; the first rule that fits counts. */
  words?: readonly WordsRule[];
  /** The tool behind a call, where the call itself does not name it. */
  toolName?(call: Json): string | undefined;
  /** The call of an MCP tool, by the name of the tool and the names of the run's servers. */
  mcpAction?(name: string, input: unknown, servers: readonly string[]): Action | undefined;
  /** How a command ended, where nothing but its output says so. */
  exitCode?(output: string): number | undefined;
  /** Whether the program itself put this text among the words of the model. */
  isOwnText?(text: string): boolean;
  /** Whether the text that a turn ends with is the error of a model that failed. Asked when the answer tells no usage. */
  isErrorText?: ((text: string) => boolean) | undefined;
  /** Whether it ignores MCP servers that are programs, without telling the client. */
  ignoresMcpPrograms?: boolean | undefined;
  /** The scope of the counts in the field `usage` of an answer. */
  usageScope?: UsageScope | undefined;
  /** What a prompt consumed, by the answer to it; the default reads the field `usage`. */
  usage?(result: Json): Usage | undefined;
  /** What each model consumed of it, where the agent says so. */
  usageByModel?(result: Json): Readonly<Record<string, Usage>> | undefined;
};

/** What is known of an agent that has no code of its own. */
export type AcpTraits = Pick<AcpAgent, 'usageScope' | 'isErrorText' | 'ignoresMcpPrograms'>;

/** What to ask for before the first prompt. */
export type AcpSession = {
  cwd: string;
  /** MCP servers in the form of the protocol. */
  mcpServers: readonly Json[];
  /** The session to go on with. */
  resume?: string | undefined;
  /** Whether that session is to be copied instead. */
  fork?: boolean | undefined;
  /** The mode of the agent that keeps the permission mode of the run; the run fails when the agent does not have it. */
  mode?: string | undefined;
  model?: string | undefined;
  /** Whether every request of the agent is granted without a word. */
  allowsAll?: boolean | undefined;
  /** How to log in when the agent wants that first. */
  authMethod?: string | undefined;
  readImage: (image: ImageData | { path: string }) => ImageData;
};
