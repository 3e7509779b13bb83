import { readFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

const ALLOWED: Record<string, string> = JSON.parse(
  readFileSync(new URL('./allowed-skips.json', import.meta.url), 'utf8'),
);

/** Names every skipped test with its reason, fails on one that is not on the list, and ends with a plain count. */
export default class TestReporter implements Reporter {
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
