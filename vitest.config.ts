import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import SlowTestsFirst from './scripts/slow-tests-first.ts';

// Hundreds of programs are started; those that begin from source take half as long with what Node has kept of them.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/node');
enableCompileCache();

const NOT_TESTS = ['**/node_modules/**', '**/dist/**'];
const WITH_PROCESSES = '**/*.process.test.ts';
const END_TO_END = ['e2e/**/*.test.ts', 'packages/**/*.e2e.test.ts'];
/** Names of files that belong to a suite of their own. */
const OTHER_SUITES = ['agents', 'e2e', 'long', 'packages'].map((name) => `**/*.${name}.test.ts`);
const BROWSER = 'packages/web/browser/**/*.test.ts';
/** Tests that change the process that they run in: each of these files has one of its own. */
const APART = ['{examples,scripts}/**/*.test.ts', 'packages/config/src/paths/home-folder.test.ts'];

const BUILD = 'scripts/build-for-tests.ts';
const POSTGRES = 'packages/store/src/testing/postgres-for-tests.ts';
const GH = 'scripts/gh-for-tests.ts';
const CHROMIUM = 'scripts/browser-for-tests.ts';
const END_WORLDS = 'packages/cli/src/testing/end-worlds.ts';
const NO_PROCESSES = 'scripts/no-processes.ts';
const WAIT_LONGER = 'scripts/wait-longer.ts';

const ALL = {
  // More lines would take minutes to compare.
  diff: { truncateThreshold: 1000 },
  // Machines that are busy with other tests are slow. This is an upper bound and no pause, like that of WAIT_LONGER.
  expect: { poll: { timeout: 30_000 } },
  setupFiles: [WAIT_LONGER],
};
const CORE = {
  ...ALL,
  // Twice the two cores that it is made for, because many of these tests wait.
  maxWorkers: 4,
  testTimeout: 90_000,
  hookTimeout: 90_000,
};
const UNIT = {
  ...CORE,
  // Files that share a process take two thirds of the time.
  isolate: false,
  setupFiles: [WAIT_LONGER, NO_PROCESSES],
  include: ['{packages,testbed,bench}/**/*.test.ts'],
  exclude: [...NOT_TESTS, ...OTHER_SUITES, ...APART, WITH_PROCESSES, BROWSER],
};

/** CONTRIBUTING.md says which suite a test belongs to. */
export default defineConfig({
  test: {
    sequence: { sequencer: SlowTestsFirst },
    reporters: ['default', './scripts/test-reporter.ts'],
    projects: [
      { test: { ...UNIT, name: 'unit' } },
      { test: { ...UNIT, name: 'core, unit', globalSetup: POSTGRES } },
      {
        test: {
          ...CORE,
          name: 'core, processes',
          isolate: false,
          globalSetup: [BUILD, POSTGRES, GH],
          setupFiles: [WAIT_LONGER, END_WORLDS],
          include: [`packages/${WITH_PROCESSES}`],
          exclude: NOT_TESTS,
        },
      },
      {
        test: {
          ...CORE,
          name: 'core, apart',
          globalSetup: BUILD,
          include: APART,
          exclude: [...NOT_TESTS, ...OTHER_SUITES],
        },
      },
      {
        test: {
          ...CORE,
          name: 'e2e',
          isolate: false,
          globalSetup: [BUILD, POSTGRES, GH],
          setupFiles: [WAIT_LONGER, END_WORLDS],
          include: END_TO_END,
          exclude: [...NOT_TESTS, '**/*.agents.test.ts'],
        },
      },
      {
        test: {
          ...CORE,
          name: 'browser',
          isolate: false,
          globalSetup: [BUILD, CHROMIUM, GH],
          include: [BROWSER],
          exclude: [...NOT_TESTS, ...OTHER_SUITES],
          // A browser beside other tests on two cores can be slow.
          testTimeout: 120_000,
        },
      },
      {
        test: {
          ...CORE,
          name: 'chaos',
          globalSetup: [BUILD, POSTGRES],
          include: ['chaos/**/*.test.ts'],
          exclude: NOT_TESTS,
        },
      },
      {
        test: {
          ...CORE,
          name: 'packages',
          globalSetup: 'scripts/packages-for-tests.ts',
          include: ['scripts/**/*.packages.test.ts'],
          exclude: NOT_TESTS,
          testTimeout: 120_000,
        },
      },
      {
        test: {
          ...ALL,
          name: 'agents',
          maxWorkers: 2,
          globalSetup: [BUILD, CHROMIUM],
          setupFiles: [WAIT_LONGER, END_WORLDS],
          include: ['{packages,testbed,scripts,e2e}/**/*.agents.test.ts'],
          exclude: NOT_TESTS,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          ...ALL,
          name: 'long',
          maxWorkers: 2,
          globalSetup: [BUILD, CHROMIUM],
          include: ['{packages,testbed}/**/*.long.test.ts', 'packages/**/fuzz.test.ts'],
          execArgv: ['--expose-gc'],
          exclude: NOT_TESTS,
          testTimeout: 1_800_000,
        },
      },
    ],
  },
});
