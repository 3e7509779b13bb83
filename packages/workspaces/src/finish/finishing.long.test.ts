import fc from 'fast-check';
import { test } from 'vitest';
import { checkFinishing, finishSteps } from '../testing/finishing.ts';

test('no long sequence of edits, commits, merges and crashes loses work', async () => {
  const numRuns = Number(process.env.BATON_LONG_RUNS ?? 100);
  await fc.assert(fc.asyncProperty(finishSteps, checkFinishing), { numRuns });
}, 1_800_000);
