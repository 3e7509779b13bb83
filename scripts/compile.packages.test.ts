import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ensureNode22 } from './node-22.mjs';

const EXAMPLE = join(import.meta.dirname, '../examples/agents/code-review.ts');
const baton = inject('baton');
/** Without node_modules, there or above. */
const folder = mkdtempSync(join(tmpdir(), 'baton-compile-'));

function run(file: string, args: readonly string[]) {
  const env = { PATH: process.env.PATH, HOME: folder, BATON_DEMO_PACE: '0' };
  const { status, stdout, stderr } = spawnSync(file, args, { cwd: folder, env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

beforeAll(() => {
  cpSync(EXAMPLE, join(folder, 'agent.ts'));
  const args = [baton, 'compile', 'agent.ts'];
  expect(run(process.execPath, args)).toMatchObject({ status: 0, stderr: '' });
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.each([
  ['24', () => process.execPath],
  ['22', ensureNode22],
])('an agent that the installed command compiled, on Node %s', (_major, find) => {
  const node = find();

  test('shows its help', () => {
    const { status, stdout, stderr } = run(node, ['code-review', '--help']);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('Usage: code-review');
  });

  test('runs the demo agent from the same file', () => {
    const prompt = 'demo:script [{"say":"No defects found."}]';
    const { status, stdout } = run(node, ['code-review', '--backend', 'demo', prompt]);
    expect([status, stdout]).toEqual([0, 'No defects found.']);
  });

  test('has the host of Pi, which says what is missing', () => {
    const { status, stderr } = run(node, ['code-review', '--backend', 'pi', 'Go.']);
    expect(status).not.toBe(0);
    expect(stderr).toContain('Pi');
    expect(stderr).not.toContain('not part of this bundle');
  });
});

test('the command says how to install the bundler when it is missing', () => {
  const copy = join(folder, 'copy');
  cpSync(dirname(baton), copy, { recursive: true });
  const { status, stderr } = run(process.execPath, [join(copy, 'main.js'), 'compile', 'agent.ts']);
  expect(status).toBe(2);
  expect(stderr).toContain('baton compile needs the bundler rolldown');
  expect(stderr).toContain('npm install -g rolldown');
});
