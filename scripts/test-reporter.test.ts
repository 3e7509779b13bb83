import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isCi } from './test-reporter.ts';

const ROOT = join(import.meta.dirname, '..');
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'skipping-'));
  const skipping = "test('walks', () => {}); test('flies', (it) => it.skip('no wings'));";
  writeFileSync(join(folder, 'bird.test.js'), skipping);
  writeFileSync(join(folder, 'failing.js'), "test('swims', () => expect(1).toBe(2));");
  const end = "export default () => { process.once('beforeExit', () => process.exit(0)); };";
  writeFileSync(join(folder, 'last-word.js'), end);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a suite with one skip that nobody has listed, or another one. */
function suite(env: Record<string, string>, ...more: string[]) {
  const args = ['run', '--globals', '--root', folder, ...more];
  const reporter = `--reporter=${join(ROOT, 'scripts/test-reporter.ts')}`;
  const program = join(ROOT, 'node_modules/vitest/vitest.mjs');
  return spawnSync(process.execPath, [program, ...args, reporter], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...env },
    encoding: 'utf8',
  });
}

describe('a skip that is not on the list', () => {
  test('is listed with its reason, and does not fail locally', () => {
    const { status, stdout } = suite({});
    expect(stdout).toContain('SKIPPED flies: no wings\n1 passed, 0 failed, 1 skipped');
    expect(status).toBe(0);
  });

  test('fails the run in CI', () => {
    const { status, stdout } = suite({ CI: '1' });
    expect(stdout).toContain('This skip is not on the list');
    expect(status).toBe(1);
  });
});

test('a test that failed fails the run, whatever wants to end it well', () => {
  const config = join(folder, 'vitest.config.js');
  const options = "{ test: { include: ['failing.js'], globalSetup: ['./last-word.js'] } }";
  writeFileSync(config, `export default ${options};`);
  const { status, stdout } = suite({}, '--config', config);
  expect(stdout).toContain('0 passed, 1 failed, 0 skipped');
  expect(status).toBe(1);
});

test.each([
  ['a test', "test('swims', () => expect(1).toBe(2))", 'broken.js > swims: expected 1 to be 2'],
  [
    'a test in a block',
    "describe('a bird', () => test('swims', () => { throw new Error('cold\\nwater'); }))",
    'broken.js > a bird > swims: cold\n',
  ],
  [
    'a hook',
    "describe('a bird', () => { beforeAll(() => { throw new Error('no egg'); }); test('swims', () => {}); })",
    'broken.js > a bird: no egg',
  ],
  ['a file', "throw new Error('no nest')", 'broken.js: no nest'],
  [
    'an unhandled rejection',
    "test('swims', async () => { Promise.reject(new Error('a fox')); await new Promise(setImmediate); })",
    'unhandled error: a fox',
  ],
])('the end of the run names %s that failed, and counts it', (_name, program, expected) => {
  writeFileSync(join(folder, 'broken.js'), program);
  const config = join(folder, 'vitest.config.js');
  writeFileSync(config, "export default { test: { include: ['broken.js'] } };");
  const { status, stdout } = suite({}, '--config', config);
  expect(stdout).toContain(`FAILED ${expected}`);
  expect(stdout).toMatch(/FAILED .*\n\d passed, 1 failed, \d skipped\n$/);
  expect(status).toBe(1);
});

test.each([
  ['a long text', "expect('x'.repeat(1e6)).toBe('y'.repeat(1e6))"],
  ['many lines', "expect('x\\n'.repeat(5e3)).toBe('y\\n'.repeat(5e3))"],
  ['a large object', 'expect(Array.from({ length: 1e4 }, (_, n) => ({ n }))).toEqual([])'],
  ['a long message', "throw new Error('x'.repeat(1e6), { cause: new Error('y'.repeat(1e6)) })"],
])('a test that fails with %s prints little', (_name, body) => {
  writeFileSync(join(folder, 'loud.js'), `test('shouts', () => { ${body}; });`);
  const config = join(folder, 'vitest.config.js');
  writeFileSync(config, "export default { test: { include: ['loud.js'] } };");
  const { status, stdout, stderr } = suite({}, '--config', config, '--reporter=default');
  expect(status).toBe(1);
  expect(stdout).toContain('0 passed, 1 failed, 0 skipped');
  expect(stdout.length + stderr.length).toBeLessThan(30_000);
});

test.each([
  [undefined, false],
  ['', false],
  ['false', false],
  ['true', true],
  ['1', true],
  ['woodpecker', true],
])('CI=%s means CI: %s', (value, expected) => {
  expect(isCi(value)).toBe(expected);
});
