import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('a process that can start PostgreSQL exits with its own exit code, not by a signal', () => {
  const module = new URL('./postgres.ts', import.meta.url).href;
  const told = "process.once('SIGINT', () => {}); process.emit('SIGINT');";
  const program = `await import(${JSON.stringify(module)}); process.exitCode = 3; ${told}`;
  const args = ['--input-type=module', '-e', program];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect([status, stderr]).toEqual([3, '']);
});
