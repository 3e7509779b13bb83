import { defineConfig } from 'vitest/config';
import SlowTestsFirst from './scripts/slow-tests-first.ts';

/** Three suites: `core` runs everywhere, `agents` needs the real agents, `long` takes its time. */
export default defineConfig({
  test: {
    sequence: { sequencer: SlowTestsFirst },
    reporters: ['default', './scripts/test-reporter.ts'],
    projects: [
      {
        test: {
          name: 'core',
          // One more than the two cores that it is made for, because many of these tests wait.
          maxWorkers: 3,
          globalSetup: 'scripts/build-for-tests.ts',
          include: ['{packages,testbed,bench,chaos,scripts,examples}/**/*.test.ts'],
          exclude: ['**/node_modules/**', '**/dist/**', '**/*.agents.test.ts', '**/*.long.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'agents',
          maxWorkers: 2,
          globalSetup: 'scripts/build-for-tests.ts',
          include: ['{packages,testbed,scripts}/**/*.agents.test.ts'],
          exclude: ['**/node_modules/**', '**/dist/**'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'long',
          maxWorkers: 2,
          include: ['{packages,testbed}/**/*.long.test.ts', 'packages/**/fuzz.test.ts'],
          execArgv: ['--expose-gc'],
          exclude: ['**/node_modules/**', '**/dist/**'],
          testTimeout: 1_800_000,
        },
      },
    ],
  },
});
