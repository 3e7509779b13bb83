import { expect, test } from 'vitest';
import { OUTCOME_TABLE, OUTCOMES } from './outcome.ts';

test('each outcome has the value of every interface', () => {
  expect(OUTCOME_TABLE).toEqual({
    done: words('done', false, 0, 0, 'COMPLETED'),
    failed: words('failed', true, 1, 1, 'FAILED'),
    timed_out: words('failed', true, 124, 3, 'FAILED'),
    cancelled: words('cancelled', true, 130, 130, 'CANCELLED'),
  });
});

test('the table has every outcome and no other', () => {
  expect(Object.keys(OUTCOME_TABLE)).toEqual([...OUTCOMES]);
});

function words(
  runnerStatus: string,
  isError: boolean,
  exitCode: number,
  shellExitCode: number,
  taskStatus: string,
): object {
  return { runnerStatus, isError, exitCode, shellExitCode, taskStatus };
}
