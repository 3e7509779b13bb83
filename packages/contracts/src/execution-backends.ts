import { inspect } from 'node:util';
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
  // A task source may send less than the type says.
  const { startedAt = Date.now(), abortSignal }: Partial<RunnerExecutionRequest> = request ?? {};
  const failed = (output: string) => withExecutionDefaults({ status: 'failed', output }, startedAt);
  try {
    const name = selectBackend(request.packet, operatorSetting);
    const backend = backends.find((each) => each.canExecute(name));
    if (!backend) return failed(unsupportedBackendMessage(name));
    return withExecutionDefaults(await backend.execute(request), startedAt);
  } catch (error) {
    if (abortSignal?.aborted) return withExecutionDefaults({ status: 'cancelled' }, startedAt);
    return failed(wordsOf(error));
  }
}

/** Anything can be thrown, also what has no text. */
function wordsOf(error: unknown): string {
  if (BatonError.is(error) && error.hint) return `${error.message} ${error.hint}`;
  if (error instanceof Error) return error.message;
  return typeof error === 'string' ? error : inspect(error);
}
