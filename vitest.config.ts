import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import SlowTestsFirst from './scripts/slow-tests-first.ts';

// Hundreds of programs are started; those that begin from source take half as long with what Node has kept of them.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/node');
enableCompileCache();

const NOT_TESTS = ['**/node_modules/**', '**/dist/**'];
/** Tests that change the process that they run in, or wait for whole programs: each of these files has one of its own. */
const APART = ['{examples,scripts}/**/*.test.ts', 'packages/runtime/src/home-folder.test.ts'];
const PAGE = 'packages/web/browser/*.test.ts';
/** What tests of the command need: that, built, and a PostgreSQL. */
const BUILT_AND_STORED = [
  'scripts/build-for-tests.ts',
  'packages/store/src/testing/postgres-for-tests.ts',
];
/** What tests of the page need: the built command, and a browser. */
const BUILT_AND_SHOWN = ['scripts/build-for-tests.ts', 'scripts/browser-for-tests.ts'];
const END_WORLDS = 'packages/cli/src/testing/end-worlds.ts';
const CORE = {
  // Twice the two cores that it is made for, because many of these tests wait.
  maxWorkers: 4,
  testTimeout: 30_000,
  hookTimeout: 30_000,
  // Machines that are busy with other tests are slow.
  expect: { poll: { timeout: 15_000 } },
};
const OTHER_SUITES = ['**/*.agents.test.ts', '**/*.long.test.ts'];

/** Four suites: `core` (in three parts) runs everywhere, `agents` needs the real agents, `chaos` and `long` take their time. */
export default defineConfig({
  test: {
    sequence: { sequencer: SlowTestsFirst },
    reporters: ['default', './scripts/test-reporter.ts'],
    projects: [
      {
        test: {
          ...CORE,
          name: 'core, apart',
          globalSetup: BUILT_AND_STORED,
          include: APART,
          exclude: [...NOT_TESTS, ...OTHER_SUITES],
        },
      },
      {
        test: {
          ...CORE,
          name: 'core, page',
          isolate: false,
          globalSetup: BUILT_AND_SHOWN,
          include: [PAGE],
          exclude: [...NOT_TESTS, ...OTHER_SUITES],
          // A browser beside other tests on two cores can be slow.
          testTimeout: 90_000,
        },
      },
      {
        test: {
          ...CORE,
          name: 'core',
          // Files that share a process take two thirds of the time.
          isolate: false,
          globalSetup: BUILT_AND_STORED,
          setupFiles: END_WORLDS,
          include: ['{packages,testbed,bench}/**/*.test.ts'],
          exclude: [...NOT_TESTS, ...OTHER_SUITES, ...APART, PAGE],
        },
      },
      {
        test: {
          ...CORE,
          name: 'chaos',
          globalSetup: BUILT_AND_STORED,
          include: ['chaos/**/*.test.ts'],
          exclude: NOT_TESTS,
        },
      },
      {
        test: {
          name: 'agents',
          maxWorkers: 2,
          globalSetup: BUILT_AND_SHOWN,
          setupFiles: END_WORLDS,
          include: ['{packages,testbed,scripts}/**/*.agents.test.ts'],
          exclude: NOT_TESTS,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'long',
          maxWorkers: 2,
          globalSetup: BUILT_AND_SHOWN,
          include: ['{packages,testbed}/**/*.long.test.ts', 'packages/**/fuzz.test.ts'],
          execArgv: ['--expose-gc'],
          exclude: NOT_TESTS,
          testTimeout: 1_800_000,
        },
      },
    ],
  },
});
