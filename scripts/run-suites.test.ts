import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const NODE = process.execPath;
const suite = (line: string, exit = 0) => [
  NODE,
  '-e',
  `console.log(${JSON.stringify(line)}); process.exitCode = ${exit}`,
];

function run(...commands: string[][]) {
  const suites = commands.map((command) => ({ name: 'a suite', command }));
  const path = join(import.meta.dirname, 'run-suites.mjs');
  const program = `
    import { runSuites } from ${JSON.stringify(path)};
    process.exitCode = await runSuites(${JSON.stringify(suites)});`;
  const { status, stdout } = spawnSync(NODE, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  return { status, lines: stdout.trimEnd().split('\n') };
}

test('the last line counts the tests of all suites', () => {
  const { status, lines } = run(
    suite('3 passed, 0 failed, 1 skipped\nmore\n2 passed, 0 failed, 0 skipped'),
    suite('4 passed, 0 failed, 0 skipped'),
  );
  expect([status, lines.at(-1)]).toEqual([0, '9 passed, 0 failed']);
});

test('a suite that fails does not keep the others from running', () => {
  const { status, lines } = run(
    suite('1 passed, 2 failed, 0 skipped', 1),
    suite('4 passed, 0 failed, 0 skipped'),
  );
  expect([status, lines.at(-1)]).toEqual([1, '5 passed, 2 failed']);
  expect(lines.at(-3)).toMatch(/: 1 passed, 2 failed, in \d+ s$/);
  expect(lines.at(-2)).toMatch(/: 4 passed, 0 failed, in \d+ s$/);
});

test('a suite that fails without a failed test is a failure', () => {
  expect(run(suite('broken', 1)).lines.at(-1)).toBe('0 passed, 1 failed');
  expect(run(suite('9 passed, 0 failed, 1 skipped', 1)).lines.at(-1)).toBe('9 passed, 1 failed');
  expect(run(['/nowhere/at/all']).lines.at(-1)).toBe('0 passed, 1 failed');
});

test('the summary names what failed in each suite', () => {
  const { lines } = run(
    suite('FAILED a.test.ts > flies: no wings\n2 passed, 1 failed, 0 skipped\nnoise', 1),
    suite('4 passed, 0 failed, 0 skipped'),
    suite('no count', 3),
    [NODE, '-e', 'process.kill(process.pid, "SIGKILL")'],
    ['/nowhere/at/all'],
  );
  const summary = lines.slice(lines.lastIndexOf(''));
  expect(summary.filter((line) => line.startsWith('failed in'))).toEqual([
    'failed in a suite: a.test.ts > flies: no wings',
    'failed in a suite: exit code 3, and no test failed',
    'failed in a suite: SIGKILL, and no test failed',
    'failed in a suite: spawn /nowhere/at/all ENOENT',
  ]);
  expect(lines.at(-1)).toBe('6 passed, 4 failed');
});

test('the summary of a suite that runs suites is not counted twice', () => {
  const inner = [
    'FAILED a.test.ts > flies: no wings',
    'failed in inner: a.test.ts > flies: no wings',
  ];
  const { lines } = run(suite([...inner, '0 passed, 1 failed, 0 skipped'].join('\n'), 1));
  const summary = lines.slice(lines.lastIndexOf(''));
  expect(summary.filter((line) => line.includes('no wings'))).toHaveLength(1);
});
