import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'start-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts what `npm start` starts, in a process group of its own as in a terminal. */
function start(env: Record<string, string>) {
  return spawn(process.execPath, [join(import.meta.dirname, 'start.mjs')], {
    env: { ...process.env, TMPDIR: folder, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
}

const left = () => readdirSync(folder).filter((name) => name.startsWith('baton-start-'));

test('the demo works in a folder that is gone afterwards', async () => {
  const child = start({ BATON_DEMO_PACE: '0' });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(output).toContain('Run real agents with');
  expect(left()).toEqual([]);
});

test('the folder is gone after Ctrl-C too', async () => {
  const child = start({ BATON_DEMO_PACE: '50' });
  await once(child.stdout, 'data');
  expect(left()).toHaveLength(1);
  process.kill(-(child.pid ?? 0), 'SIGINT');
  child.stdout.resume();
  expect(await once(child, 'close')).toEqual([130, null]);
  expect(left()).toEqual([]);
});
