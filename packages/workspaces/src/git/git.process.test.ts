import { chmodSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { TestRepository } from '../testing/repository.ts';
import type { Git } from './git.ts';
import { MachineSlots } from './machine-slots.ts';

test.each<[string, (git: Git, cwd: string) => Promise<unknown>, object]>([
  [
    'a failed command',
    (git, cwd) => git.run(['rev-parse', '--verify', 'nothing'], { cwd }),
    { code: 'git_failed', message: expect.stringContaining('git rev-parse failed:') },
  ],
  [
    'more output than expected',
    (git, cwd) => git.run(['show', 'HEAD:a.txt'], { cwd, maxBytes: 10 }),
    { code: 'too_large' },
  ],
  [
    'a command that takes too long',
    (git, cwd) => git.run(['cat-file', '--batch', '--buffer'], { cwd, timeoutMs: 0 }),
    { code: 'git_failed', message: expect.stringContaining('took too long') },
  ],
  [
    'a stop',
    (git, cwd) => git.run(['status'], { cwd, signal: AbortSignal.abort() }),
    { code: 'interrupted' },
  ],
  [
    'a missing folder',
    (git, cwd) => git.run(['status'], { cwd: join(cwd, 'missing') }),
    { code: 'cwd_missing' },
  ],
])('%s is an error with a code', async (_what, act, expected) => {
  const user = new TestRepository();
  user.commit({ 'a.txt': 'a'.repeat(1000) });
  await expect(act(user.git, user.root)).rejects.toMatchObject(expected);
});

test('a program called git in the folder is not used', async () => {
  const user = new TestRepository();
  mkdirSync(join(user.root, 'bin'));
  writeFileSync(join(user.root, 'bin/git'), '#!/bin/sh\ntouch executed\n');
  chmodSync(join(user.root, 'bin/git'), 0o755);
  vi.stubEnv('PATH', `${join(user.root, 'bin')}:${process.env.PATH}`);
  try {
    await user.git.run(['status'], { cwd: user.root });
  } finally {
    vi.unstubAllEnvs();
  }
  expect(readdirSync(user.root)).not.toContain('executed');
});

test('no more than the given number of calls run at the same time, also of other programs', async () => {
  const user = new TestRepository();
  const folder = join(user.state, 'few');
  // Each has its own queue, as two programs have; the files of the slots are all they share.
  const [one, other] = [1, 2].map(() => new MachineSlots({ folder, count: 2 }));
  const signal = new AbortController().signal;
  const held = [await one?.take(signal), await other?.take(signal)];
  let isTaken = false;
  const third = one?.take(signal).then((free) => {
    isTaken = true;
    return free;
  });
  await new Promise(setImmediate);
  expect(isTaken).toBe(false);
  held[0]?.();
  (await third)?.();
  held[1]?.();
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ['is gone', JSON.stringify({ pid: 2 ** 22, startTicks: 1 })],
  ['was killed before it wrote it', ''],
])('the slot of a process that %s is free', async (_what, content) => {
  const user = new TestRepository();
  const folder = join(user.state, 'left');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'slot-0'), content);
  utimesSync(join(folder, 'slot-0'), 1, 1);
  const slots = new MachineSlots({ folder, count: 1 });
  const free = await slots.take(AbortSignal.timeout(30_000));
  expect(readdirSync(folder)).toEqual(['slot-0']);
  free();
});
