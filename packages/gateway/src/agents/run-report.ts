import { type BackendEventResult, eventResult } from '@baton/contracts';
import type { AgentEvent, BatonError, HostRequest, RunResult } from '@baton/protocol';

/** Reports the end of a run to the gateway: its answer, or its error and if the prompt may run again. */
export interface RunReport {
  readonly onLaunch?: HostRequest['onLaunch'];
  readonly onPrinted?: HostRequest['onPrinted'];
  /** Called with every event of the run. */
  see(event: AgentEvent): void;
  end(result: RunResult): BackendEventResult;
  /** Reports an error without a result; before the start, the host has rejected the request. */
  fail(error: BatonError, isStarted: boolean): BackendEventResult;
}

/** Reports runs that retry by themselves: once one has started, only a user can run its prompt again. */
export const HOST_REPORT: RunReport = {
  see() {},
  end(result) {
    const answer = eventResult(result, '');
    if (!answer.isError) return answer;
    const { code, retryable = false } = result.error ?? {};
    const failure = { isTransient: retryable, mayHaveActed: true };
    return { ...answer, failure: code ? { code, ...failure } : failure };
  },
  fail({ code, retryable, message, hint }, isStarted) {
    const failure = { code, isTransient: retryable, mayHaveActed: isStarted };
    return { isError: true, responseText: `${message} ${hint}`, failure };
  },
};
