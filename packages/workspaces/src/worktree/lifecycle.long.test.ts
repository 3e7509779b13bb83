import fc from 'fast-check';
import { test } from 'vitest';
import { checkLifecycle, lifecycleSteps } from '../testing/lifecycle.ts';

test('no long sequence of work, undo, removal and crash loses a byte', async () => {
  const numRuns = Number(process.env.BATON_LONG_RUNS ?? 100);
  await fc.assert(fc.asyncProperty(lifecycleSteps, checkLifecycle), { numRuns });
}, 1_800_000);
