import type { PermissionMode, RunOptions, WorkspaceRequest } from '@baton/protocol';

/** The options of an agent that a chains file can set, apart from those that a step has itself. */
export type AgentOptions = Pick<
  RunOptions,
  | 'systemPrompt'
  | 'model'
  | 'maxTurns'
  | 'tools'
  | 'settings'
  | 'mcpConfig'
  | 'mode'
  | 'providerOptions'
  | 'rawArgs'
  | 'outputSchema'
  | 'timeouts'
  | 'budgetUsd'
>;

/** The place that a step or a chain asks for. Its id is derived from the run. */
export type ChainWorkspace = Omit<WorkspaceRequest, 'workspace_id'>;

/** A value that the user gives when the chain starts. */
export type ChainInput = {
  description?: string | undefined;
  default?: string | undefined;
  /** The values to choose from. */
  choices?: string[] | undefined;
  /** Shown as a text area by the page. */
  multiline?: boolean | undefined;
};

/**
 * A condition on an earlier step: on how it ended, or on a value in its structured output. `step` is `previous` for the
 * step before.
 */
export type Condition =
  | { step: string; outcome: string | string[] }
  | { step: string; path?: string | undefined; equals: unknown }
  | { step: string; path?: string | undefined; exists: boolean }
  | { not: Condition }
  | { all: Condition[] }
  | { any: Condition[] };

type StepBase = {
  /** Unique among its siblings. */
  id: string;
  if?: Condition | undefined;
  /** `stop` ends the chain as failed after the step failed; `continue` ignores the failure. */
  onFailure: 'stop' | 'continue';
};

/** Runs one agent with one prompt, or several times until it prints the completion marker. */
export type AgentStep = StepBase & {
  kind: 'agent';
  /** Its name in the chains file. */
  agent: string;
  backend: string;
  /** Backends to use if the first is not available on this machine, in this order. */
  fallback: string[];
  /** A template. */
  prompt: string;
  /** Maximum number of runs of the agent, which stops early when it prints the marker; one run by default. */
  iterations?: number | undefined;
  /** A template; the folder of the chain by default. Relative paths are relative to that folder. */
  cwd?: string | undefined;
  /** That of the chain by default. The name of a worktree is a template: steps with the same name share the worktree. */
  workspace?: ChainWorkspace | undefined;
  permissionMode: PermissionMode;
  /** Variables for the agent. Values may contain `${VAR}`, which is replaced when the step starts, never stored. */
  env?: Record<string, string> | undefined;
  options: AgentOptions;
  /** SHA-256 of the files in its options that the agent reads itself, by path. If one has changed, the step fails. */
  files?: Record<string, string> | undefined;
  /** A compiled agent instead of a backend: the program and the arguments before the flags of Baton. */
  command?: string[] | undefined;
};

/** Runs its steps at the same time. */
export type ParallelStep = StepBase & {
  kind: 'parallel';
  steps: Step[];
  /** `fail-fast` stops the other steps when one fails; `wait` lets them finish. Either way the step has failed. */
  policy: 'fail-fast' | 'wait';
  /** Maximum number of concurrent steps. */
  concurrency?: number | undefined;
};

/** Runs its steps again and again until the marker, or until the condition holds. */
export type LoopStep = StepBase & {
  kind: 'loop';
  steps: Step[];
  maxIterations: number;
  /** The completion marker, printed by any agent of the iteration, if absent. */
  until?: Condition | undefined;
};

/** Runs its steps once for each item of a list. */
export type ForEachStep = StepBase & {
  kind: 'forEach';
  /** The list, or a template that renders to one: a JSON array, or the lines of a text. */
  items: unknown[] | string;
  steps: Step[];
  policy: 'fail-fast' | 'wait';
  concurrency: number;
  /** Maximum number of items. By default a list in the file is unlimited, and a template may return 100. */
  maxItems?: number | undefined;
};

/** Waits for the decision of a person. A rejection is a failed step. */
export type ApprovalStep = StepBase & {
  kind: 'approval';
  /** A template. */
  message: string;
};

export type Step = AgentStep | ParallelStep | LoopStep | ForEachStep | ApprovalStep;

/** A chain with everything that it needs: its agents are part of its steps, and the files that it names are read. */
export type Chain = {
  name: string;
  description?: string | undefined;
  inputs: Record<string, ChainInput>;
  /** For all attempts together, without the time in which no process ran the chain. */
  timeoutMs?: number | undefined;
  budgetUsd?: number | undefined;
  /** The place of all steps that have none of their own; a worktree is shared by all of them. */
  workspace?: ChainWorkspace | undefined;
  steps: Step[];
};
