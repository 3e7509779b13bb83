import { BatonError } from '@baton/protocol/values';
import {
  type RunnerExecutionBackend,
  type RunnerExecutionRequest,
  type RunnerExecutionResult,
  withExecutionDefaults,
} from './runner-backend.ts';
import { selectBackend, unsupportedBackendMessage } from './runner-selection.ts';

/** The execution backends of a runner, in the order in which they are asked. A program adds its own with `push`. */
export const executionBackends: RunnerExecutionBackend[] = [];

export type ExecuteOptions = {
  /** The backends to choose from. */
  backends?: readonly RunnerExecutionBackend[];
  /** The backend of packets that name none, if the operator chose one. */
  operatorSetting?: string;
};

/**
 * Executes a task as a runner does: the first backend that takes the packet's backend gets it, and what it omits in its
 * result is filled in. It never rejects: a backend that throws has failed.
 */
export async function executeTask(
  request: RunnerExecutionRequest,
  { backends = executionBackends, operatorSetting }: ExecuteOptions = {},
): Promise<RunnerExecutionResult & { durationMs: number }> {
  const name = selectBackend(request.packet, operatorSetting);
  const backend = backends.find((each) => each.canExecute(name));
  const failed = (output: string) =>
    withExecutionDefaults({ status: 'failed', output }, request.startedAt);
  if (!backend) return failed(unsupportedBackendMessage(name));
  try {
    return withExecutionDefaults(await backend.execute(request), request.startedAt);
  } catch (error) {
    if (request.abortSignal.aborted) {
      return withExecutionDefaults({ status: 'cancelled' }, request.startedAt);
    }
    const words = error instanceof Error ? error.message : String(error);
    return failed(BatonError.is(error) && error.hint ? `${words} ${error.hint}` : words);
  }
}
