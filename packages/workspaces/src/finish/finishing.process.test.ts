import fc from 'fast-check';
import { test } from 'vitest';
import { checkFinishing, finishSteps } from '../testing/finishing.ts';

test('no sequence of edits, commits, merges and crashes loses work or commits it twice', async () => {
  await fc.assert(fc.asyncProperty(finishSteps, checkFinishing), { numRuns: 4 });
});
