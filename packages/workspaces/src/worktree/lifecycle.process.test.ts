import fc from 'fast-check';
import { test } from 'vitest';
import { checkLifecycle, lifecycleSteps } from '../testing/lifecycle.ts';

test('no sequence of work, undo, removal and crash loses a byte or leaves a trace', async () => {
  await fc.assert(fc.asyncProperty(lifecycleSteps, checkLifecycle), { numRuns: 5 });
});
