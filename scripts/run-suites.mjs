import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { ROOT } from './install.mjs';

/** Lines of scripts/test-reporter.ts: one per failure, then the count. A suite may run it several times. */
const FAILURE = /^FAILED (.+)$/;
const COUNT = /^(\d+) passed, (\d+) failed, \d+ skipped$/;

/**
 * Runs commands one after another, also after one has failed. At the end it lists everything that failed, and prints how long
 * each command took. The last line has the count of all tests; a command that fails without a failed test counts as one.
 * Returns the exit code.
 */
export async function runSuites(wanted) {
  const suites = [];
  for (const { name, command, env, cwd } of wanted) {
    console.log(`\n=== ${name}`);
    suites.push({ name, ...(await runSuite(command, { env, cwd })) });
  }
  console.log('');
  for (const { name, failures } of suites) {
    // Not as FAILURE: this may itself run as a suite.
    for (const failure of failures) console.log(`failed in ${name}: ${failure}`);
  }
  for (const { name, passed, failed, seconds } of suites) {
    console.log(`${name}: ${passed} passed, ${failed} failed, in ${durationOf(seconds)}`);
  }
  const [passed, failed] = ['passed', 'failed'].map((key) => {
    return suites.reduce((sum, suite) => sum + suite[key], 0);
  });
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

function runSuite([file, ...args], { env = {}, cwd = ROOT }) {
  const start = Date.now();
  const count = { passed: 0, failed: 0 };
  const failures = [];
  const child = spawn(file, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    console.log(line);
    const [, failure] = FAILURE.exec(line) ?? [];
    if (failure) failures.push(failure);
    const [, passed = 0, failed = 0] = COUNT.exec(line) ?? [];
    count.passed += Number(passed);
    count.failed += Number(failed);
  });
  const secondsSinceStart = () => Math.round((Date.now() - start) / 1000);
  return new Promise((resolve) => {
    child.on('error', (error) => {
      console.log(error.message);
      resolve({ ...count, failed: 1, failures: [error.message], seconds: secondsSinceStart() });
    });
    child.on('close', (code, signal) => {
      if (code !== 0 && failures.length === 0) {
        failures.push(`${signal ?? `exit code ${code}`}, and no test failed`);
      }
      const failed = code === 0 ? count.failed : Math.max(1, count.failed);
      resolve({ ...count, failed, failures, seconds: secondsSinceStart() });
    });
  });
}

function durationOf(seconds) {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
