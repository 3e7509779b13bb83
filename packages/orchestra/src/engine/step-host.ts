import type { AgentEvent, ErrorInfo, Outcome, PermissionMode, Usage } from '@baton/protocol';
import type { AgentOptions, AgentStep } from '../chain.ts';

/** One prompt for one agent: an ordinary task in a session of its own. The ids make starting it idempotent. */
export type StepTask = {
  /** The path of the step. */
  step: string;
  chain: string;
  /** The user who started the chain. */
  by?: string | undefined;
  sessionId: string;
  taskId: string;
  backend: string;
  prompt: string;
  /** An absolute path. */
  cwd: string;
  permissionMode: PermissionMode;
  env?: Record<string, string> | undefined;
  options: AgentOptions;
  command?: string[] | undefined;
  /** The session is there already: the task continues it. */
  continues: boolean;
};

/** End of a task. */
export type TaskEnd = {
  outcome: Outcome;
  output: string;
  structured?: unknown;
  usage?: Usage | undefined;
  error?: ErrorInfo | undefined;
  /** True if the agent printed the completion marker. */
  marker: boolean;
  /** Number of requests that were denied because no user was there to ask. */
  denied?: number | undefined;
};

/** State of a step's task after a time in which no engine watched it. */
export type FoundTask =
  /** No agent has seen the prompt. */
  | { state: 'not_started' }
  | { state: 'running' }
  | { state: 'ended'; end: TaskEnd }
  /** Its process is gone. With a native session the agent can continue. */
  | { state: 'interrupted'; canContinue: boolean; usage?: Usage | undefined };

/** The reason of an abort that leaves the task running, for another process to join. */
export class Detached extends Error {}

/**
 * Runs the tasks of a chain: in this process, or through the executors of a daemon. The engine calls it and stores every
 * start before and every result after the call.
 */
export interface StepHost {
  /** Throws a `BatonError` if this backend cannot run the step here. Nothing is started. */
  check(step: AgentStep, backend: string, cwd: string): Promise<void>;
  /** True if Baton can enforce a budget on this backend while it runs. */
  hasBudget(backend: string): boolean;
  /**
   * Starts the task, or joins it if it is already there, and waits for its end. An abort stops it, and the call settles
   * when it has stopped. An abort with the reason `Detached` leaves it running, and the call rejects with that reason.
   */
  run(
    task: StepTask,
    controls: { signal: AbortSignal; onEvent(event: AgentEvent): void },
  ): Promise<TaskEnd>;
  /** Finds the state of a task after its chain was interrupted. */
  find(sessionId: string, taskId: string): Promise<FoundTask>;
  /** Stops a task that no engine watches, and returns its end. */
  stop(sessionId: string, taskId: string): Promise<TaskEnd>;
}
