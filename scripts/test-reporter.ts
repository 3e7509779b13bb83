import { readFileSync } from 'node:fs';
import type { SerializedError } from 'vitest';
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node';

const ALLOWED: Record<string, string> = JSON.parse(
  readFileSync(new URL('./allowed-skips.json', import.meta.url), 'utf8'),
);
/** Characters of each text of an error that are printed. */
const MAX_TEXT = 4000;

/**
 * Names every skipped test with its reason, fails on one that is not on the list, shortens what failed tests print, and ends
 * with a plain count.
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

  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const test of modules.flatMap((module) => [...module.children.allTests()])) {
      const result = test.result();
      count[result.state] += 1;
      if (result.state === 'skipped') report(test, result.note);
    }
    console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
    if (count.failed > 0) failRun();
  }
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
  if (!isCi(process.env.CI) || Object.hasOwn(ALLOWED, test.fullName)) return;
  console.log('  This skip is not on the list in scripts/allowed-skips.json.');
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
