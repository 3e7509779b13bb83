import { describe, expect, test } from 'vitest';
import { parseStat, readProcess, startedWithVariable } from './proc-fs.ts';
import { canVerify, processTree, startTicksAt } from './process-table.ts';
import { readPs } from './ps.ts';
import { launchShell, printed } from './testing.ts';

const TAIL = '4 5 0 -1 4194304 1 2 3 4 5 6 7 8 20 0';

test('reads a process whose name has spaces, parentheses and a newline', () => {
  const stat = `42 (a) S (b\n c) R 7 ${TAIL} 1 0 12345 99 0\n`;
  expect(parseStat(stat)).toEqual({
    pid: 42,
    ppid: 7,
    pgid: 4,
    sid: 5,
    startTicks: 12345,
    state: 'R',
  });
});

test('a process whose other threads are alive is not dead', () => {
  expect(parseStat(`42 (x) Z 7 ${TAIL} 1 0 1 0`)?.state).toBe('Z');
  expect(parseStat(`42 (x) Z 7 ${TAIL} 3 0 1 0`)?.state).toBe('z');
});

test('returns nothing for a process that does not exist', () => {
  expect(readProcess(2 ** 22 + 1)).toBeUndefined();
  expect(startedWithVariable(2 ** 22 + 1, 'PATH')).toBe(false);
});

describe.runIf(canVerify)('on Linux', () => {
  test('finds a variable by its whole name only, in an environment of any size', async () => {
    const env = {
      PATH: process.env.PATH,
      A: 'x'.repeat(100_000),
      OTHER_KEY: 'KEY_B=1',
      KEY_A: '1',
    };
    const launched = await launchShell('echo up; exec sleep 60', { env });
    await printed(launched, 1);
    const { pid } = launched.process;
    expect(startedWithVariable(pid, 'KEY_A')).toBe(true);
    expect(startedWithVariable(pid, 'KEY')).toBe(false);
    expect(startedWithVariable(pid, 'KEY_B')).toBe(false);
  });

  test('ps and /proc agree on this process and its parent', () => {
    const fromProc = processTree().find(({ pid }) => pid === process.pid);
    const fromPs = readPs().find(({ pid }) => pid === process.pid);
    expect(fromPs).toMatchObject({ ppid: fromProc?.ppid, pgid: fromProc?.pgid });
    expect(fromPs?.startTicks).toBeGreaterThan(0);
  });

  test('a start time lies between the clock before and after the start', async () => {
    const before = startTicksAt(Date.now());
    const { process: agent } = await launchShell('exec sleep 60');
    const after = startTicksAt(Date.now());
    expect(agent.startTicks).toBeGreaterThanOrEqual(before - 1);
    expect(agent.startTicks).toBeLessThanOrEqual(after + 1);
  });
});
