import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { RawLog } from './raw-log.ts';

let path: string;
let kept: Buffer;
let isReachable: boolean;

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-raw-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  path = join(folder, 'task.raw');
  kept = Buffer.alloc(0);
  isReachable = true;
});

function rawLog(maxBytes = 10_000_000): RawLog {
  return new RawLog({
    path,
    maxBytes,
    async send({ offset, text }) {
      if (!isReachable) throw new Error('unreachable');
      if (offset === kept.length) kept = Buffer.concat([kept, Buffer.from(text)]);
      return kept.length;
    },
  });
}

test('what an agent prints reaches the daemon, each line with the number of its stream', async () => {
  const log = rawLog();
  log.print('out', 'stdout');
  log.print('err', 'stderr');
  await log.flush();
  log.print('ü', 'stdout');
  await log.flush();
  log.end();
  expect(kept.toString()).toBe('1 out\n2 err\n1 ü\n');
  expect(existsSync(path)).toBe(false);
});

test('a line that is longer than a piece arrives whole, whatever its characters are', async () => {
  const log = rawLog();
  const line = '€'.repeat(400_000);
  log.print(line, 'stdout');
  await log.flush();
  log.end();
  expect(kept.toString()).toBe(`1 ${line}\n`);
});

test('what does not arrive is sent again, and stays in the file when it never does', async () => {
  const log = rawLog();
  isReachable = false;
  log.print('one', 'stdout');
  await log.flush();
  isReachable = true;
  await log.flush();
  expect(kept.toString()).toBe('1 one\n');
  isReachable = false;
  log.print('two', 'stdout');
  await log.flush();
  log.end();
  expect(existsSync(path)).toBe(true);
});

test('keeps up to the limit, and marks the end', async () => {
  const log = rawLog(200);
  for (let n = 0; n < 100; n++) log.print(`line ${n}`, 'stdout');
  await log.flush();
  log.end();
  expect(kept.length).toBeLessThanOrEqual(200);
  expect(kept.toString()).toMatch(/^1 line 0\n.*\n2 \[Raw output limit reached\.\]\n$/s);
});
