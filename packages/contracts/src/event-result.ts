import { withoutMiddle } from '@baton/engine/normalize/error-text';
import { OUTCOME_TABLE, type RunResult } from '@baton/protocol/values';
import type { BackendFailure } from './backend-failure.ts';

export interface BackendEventResult {
  responseText?: string;
  sessionId?: string;
  isError: boolean;
  /** Set with `isError` by adapters that know more about an error than its text; not part of the original contract. */
  failure?: BackendFailure;
}

/**
 * Converts the result of a run to the gateway's format. A non-zero exit code is an error, even after a readable answer.
 */
export function eventResult(result: RunResult, stderr: string): BackendEventResult {
  const sessionId =
    result.nativeSessionId === undefined ? {} : { sessionId: result.nativeSessionId };
  const isError = OUTCOME_TABLE[result.outcome].isError || hasErrorCode(result);
  const responseText = isError ? errorWords(result, stderr) : result.output;
  return { responseText, ...sessionId, isError };
}

function hasErrorCode({ exitCode }: RunResult): boolean {
  return exitCode !== undefined && exitCode !== 0;
}

function errorWords(result: RunResult, stderr: string): string {
  const { outcome, error, output } = result;
  if (outcome === 'timed_out') return 'Query timed out';
  if (outcome === 'cancelled') return 'Stopped';
  if (hasErrorCode(result) && stderr.trim() !== '') return withoutMiddle(stderr);
  if (error?.code === 'output_unreadable' || error?.code === 'output_truncated') {
    return 'Failed to parse CLI output';
  }
  return withoutMiddle(error?.message ?? output);
}
