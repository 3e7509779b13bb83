import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';

/** As the tests are run: a folder, and a program that works in it. */
const RUNNER = `
  import { folderInMemory } from './scripts/folder-in-memory.mjs';
  import { exitCode } from './scripts/exit-code.mjs';
  console.log(folderInMemory());
  process.exit(await exitCode(process.execPath, ['-e', 'console.log("begun"); setInterval(() => {}, 1000)']));
`;

test('ending the tests leaves no folder in memory', async () => {
  const runner = spawn(process.execPath, ['--input-type=module', '-e', RUNNER], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(runner, 'exit');
  const lines = createInterface({ input: runner.stdout })[Symbol.asyncIterator]();
  const { value: folder = '' } = await lines.next();
  await lines.next();
  // Systems without room in memory have none.
  expect(existsSync(folder)).toBe(folder !== 'undefined');
  runner.kill('SIGTERM');
  expect((await ended)[0]).toBe(1);
  expect(existsSync(folder)).toBe(false);
});
