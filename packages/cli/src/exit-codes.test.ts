import { ERROR_CODES, type ErrorCode, errorInfo, type RunResult } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import { exitCodeOfError, exitCodeOfRun } from './exit-codes.ts';

const base: RunResult = { outcome: 'done', output: '', durationMs: 1 };

test('an error exits with code 1 unless it has its own code', () => {
  const special: Partial<Record<ErrorCode, number>> = {
    usage: 2,
    config_invalid: 2,
    capability_missing: 2,
    backend_unknown: 2,
    cwd_missing: 2,
    session_not_found: 4,
    not_found: 4,
    unauthenticated: 5,
    forbidden: 5,
    daemon_unreachable: 6,
  };
  for (const code of Object.keys(ERROR_CODES) as ErrorCode[])
    expect([code, exitCodeOfError(code)]).toEqual([code, special[code] ?? 1]);
});

describe('a run', () => {
  test.each<[string, Partial<RunResult>, boolean, number]>([
    ['that is done', {}, false, 0],
    ['that is done, with something denied', {}, true, 5],
    ['that failed', { outcome: 'failed', error: errorInfo('agent_failed', 'm') }, false, 1],
    ['that failed without saying why', { outcome: 'failed' }, false, 1],
    ['that failed, with something denied', { outcome: 'failed' }, true, 5],
    [
      'that failed for want of a session',
      { outcome: 'failed', error: errorInfo('session_not_found', 'm') },
      false,
      4,
    ],
    ['that took too long', { outcome: 'timed_out' }, false, 3],
    ['that took too long, with something denied', { outcome: 'timed_out' }, true, 3],
    ['that was cancelled', { outcome: 'cancelled' }, true, 130],
  ])('%s', (_name, result, denied, code) => {
    expect(exitCodeOfRun({ ...base, ...result }, denied)).toBe(code);
  });
});
