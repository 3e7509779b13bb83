import { taskSessionKey } from '@baton/agents/backends/openclaw/session-key';
import type { RunInput } from '@baton/engine/definition/backend';
import type { RunnerExecutionRequest } from './runner-backend.ts';

/**
 * The options of a runner's task for OpenClaw, for `forTask` of `runnerBackend`: its session follows from the task. The
 * gateway chooses model and tools, also for tasks that were meant for another agent.
 */
export function openClawTask(
  request: Pick<RunnerExecutionRequest, 'taskType' | 'packet'>,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Partial<RunInput> {
  return {
    providerOptions: { sessionKey: taskSessionKey(request, env) },
    permissionMode: 'allow-all',
    model: undefined,
    tools: undefined,
  };
}
