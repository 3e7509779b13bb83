import type { ErrorInfo } from '@baton/protocol/values';

/** Facts that decide if a failed prompt may run again. */
export interface BackendFailure {
  /** An error code of Baton, such as `session_not_found`. */
  code?: string;
  /** True if the same prompt may succeed later. */
  isTransient: boolean;
  /** False only if the agent provably started no tool. */
  mayHaveActed: boolean;
}

/** Known facts about the tools of a run. */
export type ToolFacts = {
  /** True if Baton was about to start the agent's process. */
  isLaunched: boolean;
  /** True if the agent reported a tool or a changed file. */
  hasTools: boolean;
  /** True if the agent reports each tool before it starts: only then does silence prove that there was none. */
  reportsToolsFirst: boolean;
};

/** Describes the failure of a run; a run can fail without an error, by its exit code. */
export function backendFailure(error: ErrorInfo | undefined, facts: ToolFacts): BackendFailure {
  const hasStarted = facts.isLaunched && !isFailedSpawn(error);
  const isProven = !hasStarted || (facts.reportsToolsFirst && !facts.hasTools);
  return {
    ...(error ? { code: error.code } : {}),
    isTransient: error?.retryable ?? false,
    mayHaveActed: !isProven,
  };
}

/** The system had no room for another process. No other error is internal and transient. */
function isFailedSpawn(error: ErrorInfo | undefined): boolean {
  return error?.code === 'internal' && error.retryable;
}
