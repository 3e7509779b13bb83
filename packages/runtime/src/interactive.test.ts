import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInTerminal } from './interactive.ts';
import { keepDemoWorlds, temporaryFolder } from './testing/demo-world.ts';

keepDemoWorlds();

const options = (cwd = process.cwd()) => ({ cwd, env: process.env });

function shell(script: string, cwd?: string): Promise<{ exitCode: number }> {
  return runInTerminal({ file: '/bin/sh', args: ['-c', script], options: options(cwd) });
}

test('gives the exit code of the program', async () => {
  expect(await shell('exit 0')).toEqual({ exitCode: 0 });
  expect(await shell('exit 42')).toEqual({ exitCode: 42 });
});

test('gives the code that shells give for a signal', async () => {
  expect(await shell('kill -TERM $$')).toEqual({ exitCode: 143 });
  expect(await shell('kill -KILL $$')).toEqual({ exitCode: 137 });
});

test('starts the program in its folder, with its variables', async () => {
  const cwd = temporaryFolder();
  await runInTerminal({
    file: '/bin/sh',
    args: ['-c', 'echo "$GREETING" > here.txt'],
    options: { cwd, env: { ...process.env, GREETING: 'hello' } },
  });
  expect(readFileSync(join(cwd, 'here.txt'), 'utf8')).toBe('hello\n');
});

test('a Ctrl-C meant for the program does not end Baton, and later ones do again', async () => {
  const before = process.listenerCount('SIGINT');
  const running = shell(`kill -INT ${process.pid}; exit 3`);
  expect(process.listenerCount('SIGINT')).toBe(before + 1);
  expect(await running).toEqual({ exitCode: 3 });
  expect(process.listenerCount('SIGINT')).toBe(before);
  expect(process.listenerCount('SIGQUIT')).toBe(0);
});

test('a program that cannot be started is an error, and nothing is left listening', async () => {
  const before = process.listenerCount('SIGINT');
  const missing = runInTerminal({ file: '/nowhere/agent', args: [], options: options() });
  await expect(missing).rejects.toMatchObject({ code: 'backend_not_executable' });
  expect(process.listenerCount('SIGINT')).toBe(before);
});
