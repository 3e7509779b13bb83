/**
 * The entry for agent files, which `baton compile` turns into programs. It loads nothing, so that such a program starts
 * quickly; all other imports here are types.
 */

import type { OptionsOf } from '@baton/agents/options/options-of';
import type { McpConfig, OutputSchema, Timeouts, WorkspaceRequest } from '@baton/protocol/values';

/** An agent: its instructions, its permissions, and the backend that runs it. */
export interface AgentDefinition<Name extends string = string> {
  /** The name in the help text, and of the program unless `--output` says otherwise. */
  name: string;
  /** One line for the help text. */
  description?: string | undefined;
  /** Instructions for the agent beside its own. */
  systemPrompt?: string | undefined;
  /** The same from a file next to the agent file; `baton compile` includes its text in the program. */
  systemPromptFile?: string | undefined;
  /** The prompt for a call without one. */
  prompt?: string | undefined;
  /** The backend for a call that names none; `claude-cli` by default. */
  backend?: Name | undefined;
  /** The model, by the name that this backend knows it by. */
  model?: string | undefined;
  /** Permission mode; `ask` by default. Only the command line can allow everything. */
  permissionMode?: 'ask' | 'auto' | undefined;
  /** Maximum number of times the agent may call the model. */
  maxTurns?: number | undefined;
  /** Tools that the agent may use without asking, and tools that it does not get. */
  tools?: { allowed?: string[] | undefined; disallowed?: string[] | undefined } | undefined;
  /** MCP servers, or a JSON file with them next to the agent file, which `baton compile` includes. */
  mcpConfig?: string | McpConfig | undefined;
  /** Settings of this backend's agent, or a JSON file with them next to the agent file, which `baton compile` includes. */
  settings?: string | Record<string, unknown> | undefined;
  /** Options that only this backend has. */
  providerOptions?: OptionsOf<Name> | undefined;
  /** Transport between Baton and this backend's agent, such as `live`; `print` by default. */
  transport?: string | undefined;
  /** A JSON Schema, or a Standard Schema such as one of Zod, that the answer must match. */
  outputSchema?: OutputSchema | undefined;
  /** Time limits of a run. */
  timeouts?: Timeouts | undefined;
  /** Cost limit of a run in US dollars. */
  budgetUsd?: number | undefined;
  /** Variables for the agent, on top of the environment of the program. */
  env?: Record<string, string> | undefined;
  /** The folder that the agent works in; the current one by default. */
  cwd?: string | undefined;
  /**
   * The place for a call without `--worktree` or `--in-place`: a Git worktree of its own, or the folder itself, which is
   * the default. A call that starts in a worktree of Baton stays there.
   */
  workspace?: WorkspaceRequest['kind'] | Omit<WorkspaceRequest, 'workspace_id'> | undefined;
}

/** Returns its argument, with types: the default export of an agent file. */
export function defineAgent<const Name extends string = 'claude-cli'>(
  agent: AgentDefinition<Name>,
): AgentDefinition<Name> {
  return agent;
}
