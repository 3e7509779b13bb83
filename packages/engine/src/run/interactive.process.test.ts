import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keepDemoWorlds, temporaryFolder } from '../../../agents/src/testing/demo-world.ts';
import { runInTerminal } from './interactive.ts';

keepDemoWorlds();

const options = (cwd = process.cwd()) => ({ cwd, env: process.env });

function shell(script: string, cwd?: string): Promise<{ exitCode: number }> {
  return runInTerminal({ file: '/bin/sh', args: ['-c', script], options: options(cwd) });
}

test('returns the exit code of the program', async () => {
  expect(await shell('exit 0')).toEqual({ exitCode: 0 });
  expect(await shell('exit 42')).toEqual({ exitCode: 42 });
});

test('returns the shell exit code of a signal', async () => {
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

test('a Ctrl-C meant for the program does not end Baton, and later ones do again', () => {
  const program = `
    import { runInTerminal } from ${JSON.stringify(new URL('./interactive.ts', import.meta.url))};
    const options = { cwd: process.cwd(), env: process.env };
    const script = 'kill -INT $PPID; kill -QUIT $PPID; exit 3';
    const { exitCode } = await runInTerminal({ file: '/bin/sh', args: ['-c', script], options });
    console.log(exitCode, process.listenerCount('SIGINT'), process.listenerCount('SIGQUIT'));
    process.kill(process.pid, 'SIGINT');
    setInterval(() => {}, 1000);`;
  const { stdout, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  expect([stdout, signal]).toEqual(['3 0 0\n', 'SIGINT']);
});

test('a program that cannot be started is an error, and nothing is left listening', async () => {
  const before = process.listenerCount('SIGINT');
  const missing = runInTerminal({ file: '/nowhere/agent', args: [], options: options() });
  await expect(missing).rejects.toMatchObject({ code: 'backend_not_executable' });
  expect(process.listenerCount('SIGINT')).toBe(before);
});
