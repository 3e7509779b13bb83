import { defineConfig } from 'vitest/config';

/** Three suites: `core` runs everywhere, `agents` needs the real agents, `long` takes its time. */
export default defineConfig({
  test: {
    maxWorkers: 2,
    reporters: ['default', './scripts/test-reporter.ts'],
    projects: [
      {
        test: {
          name: 'core',
          include: ['{packages,testbed,bench,chaos,scripts,examples}/**/*.test.ts'],
          exclude: ['**/node_modules/**', '**/dist/**', '**/*.agents.test.ts', '**/*.long.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'agents',
          include: ['{packages,testbed,scripts}/**/*.agents.test.ts'],
          exclude: ['**/node_modules/**', '**/dist/**'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'long',
          include: ['{packages,testbed}/**/*.long.test.ts', 'packages/**/fuzz.test.ts'],
          execArgv: ['--expose-gc'],
          exclude: ['**/node_modules/**', '**/dist/**'],
          testTimeout: 1_800_000,
        },
      },
    ],
  },
});
