import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { ROOT } from './install.mjs';

/** The last line of scripts/test-reporter.ts. A suite may run it several times. */
const COUNT = /^(\d+) passed, (\d+) failed, \d+ skipped$/;

/**
 * Runs commands one after another, also after one has failed, and prints how long each took. The last line has the count of
 * all tests; a command that fails without a failed test counts as one. Gives the exit code.
 */
export async function runSuites(wanted) {
  const suites = [];
  for (const { name, command, env } of wanted) {
    console.log(`\n=== ${name}`);
    suites.push({ name, ...(await runSuite(command, env)) });
  }
  console.log('');
  for (const { name, passed, failed, seconds } of suites) {
    console.log(`${name}: ${passed} passed, ${failed} failed, in ${durationOf(seconds)}`);
  }
  const [passed, failed] = ['passed', 'failed'].map((key) => {
    return suites.reduce((sum, suite) => sum + suite[key], 0);
  });
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

function runSuite([file, ...args], env = {}) {
  const start = Date.now();
  const count = { passed: 0, failed: 0 };
  const child = spawn(file, args, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    console.log(line);
    const [, passed = 0, failed = 0] = COUNT.exec(line) ?? [];
    count.passed += Number(passed);
    count.failed += Number(failed);
  });
  return new Promise((resolve) => {
    child.on('error', (error) => {
      console.log(error.message);
      resolve({ ...count, failed: 1, seconds: 0 });
    });
    child.on('close', (code) => {
      const failed = code === 0 ? count.failed : Math.max(1, count.failed);
      resolve({ ...count, failed, seconds: Math.round((Date.now() - start) / 1000) });
    });
  });
}

function durationOf(seconds) {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
