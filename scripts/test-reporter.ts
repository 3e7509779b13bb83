import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { SerializedError } from 'vitest';
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node';

const ALLOWED: Record<string, string> = JSON.parse(
  readFileSync(new URL('./allowed-skips.json', import.meta.url), 'utf8'),
);
/** Characters of each text of an error that are printed. */
const MAX_TEXT = 4000;
/** Characters of the first line of an error that are printed with the name of the test. */
const MAX_LINE = 300;

/**
 * Names every skipped test with its reason, fails on one that is not on the list, shortens what failed tests print, and ends
 * with one line per failure and a plain count. scripts/run-suites.mjs reads these lines.
 */
export default class TestReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    shorten(test.result().errors);
  }

  onTestSuiteResult(suite: TestSuite): void {
    shorten(suite.errors());
  }

  onTestModuleEnd(module: TestModule): void {
    shorten(module.errors());
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    for (const test of tests) {
      const result = test.result();
      count[result.state] += 1;
      if (result.state === 'skipped') report(test, result.note);
    }
    const failures = [
      ...tests.flatMap(failureOfTest),
      ...modules.flatMap(failuresOutsideTests),
      ...unhandled.map((error) => `unhandled error: ${firstLine(error)}`),
    ];
    for (const failure of failures) console.log(`FAILED ${failure}`);
    console.log(`${count.passed} passed, ${failures.length} failed, ${count.skipped} skipped`);
    if (failures.length > 0) failRun();
  }
}

function failureOfTest(test: TestCase): string[] {
  const { state, errors } = test.result();
  if (state !== 'failed') return [];
  return [`${test.module.relativeModuleId} > ${test.fullName}: ${firstLine(errors[0])}`];
}

/** A file that cannot be loaded, and hooks that fail. */
function failuresOutsideTests(module: TestModule): string[] {
  const file = module.relativeModuleId;
  return [
    ...module.errors().map((error) => `${file}: ${firstLine(error)}`),
    ...[...module.children.allSuites()].flatMap((suite) =>
      suite.errors().map((error) => `${file} > ${suite.fullName}: ${firstLine(error)}`),
    ),
  ];
}

function firstLine(error: SerializedError | undefined): string {
  const text = stripVTControlCharacters(error?.message || error?.name || 'no message').trim();
  return (text.split('\n', 1)[0] ?? '').slice(0, MAX_LINE);
}

/** The errors are those that other reporters print at the end of the run. */
function shorten(errors: readonly SerializedError[] | undefined): void {
  for (const error of errors ?? []) {
    for (const [key, value] of Object.entries(error)) {
      if (typeof value !== 'string' || value.length <= MAX_TEXT) continue;
      error[key] = `${value.slice(0, MAX_TEXT)}\n… and ${value.length - MAX_TEXT} more characters`;
    }
    if (error.cause) shorten([error.cause]);
  }
}

function report(test: TestCase, note: string | undefined): void {
  console.log(`SKIPPED ${test.fullName}: ${note ?? 'no reason given'}`);
  // The list has the names of tests, without those of the groups that they are in.
  if (!isCi(process.env.CI) || Object.hasOwn(ALLOWED, test.name)) return;
  const name = `${test.module.relativeModuleId} > ${test.fullName}`;
  console.log(`FAILED ${name}: This skip is not on the list in scripts/allowed-skips.json.`);
  failRun();
}

/** Whatever some library does when the process ends, the run has failed. */
function failRun(): void {
  process.once('exit', () => {
    process.exitCode = 1;
  });
}

/** Services set the variable to `true` or `1`, or to their own name. */
export function isCi(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== 'false';
}
