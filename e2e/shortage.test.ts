import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatonClient } from '@baton/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { login, serveIn } from '../packages/cli/src/testing/served.ts';

const TASKS = 6;
const ALIVE: ReadonlySet<string> = new Set(['QUEUED', 'RUNNING', 'COMPLETED']);

/** Limits the number of file handles or processes of a process and its descendants. */
function limit(pid: number | undefined, resource: string, most: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', `${pid}`, `--${resource}=${most}:`]);
}

/** Lowest file descriptor that a process does not use. */
function firstFree(pid: number | undefined): number {
  const used = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
  let free = 0;
  while (used.has(free)) free += 1;
  return free;
}

async function world() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-shortage-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const { child, ...served } = await serveIn(join(folder, 'state'));
  const client = new BatonClient({ url: served.url, token: await login(served) });
  onTestFinished(() => client.close());
  const prompts = async () => {
    const ids: string[] = [];
    for (let n = 0; n < TASKS; n += 1) {
      const { session_id } = await client.sessions.create({ cwd: folder, backend: 'demo' });
      const prompt = 'demo:script [{"say":"Hello."}]';
      ids.push((await client.sessions.executeTask(session_id, { prompt })).task_id);
    }
    return ids;
  };
  return { pid: child.pid, client, prompts };
}

test('tasks wait while a daemon has no file handles, and then run', async () => {
  const { pid, client, prompts } = await world();
  // The sockets of the client are open already; a pipe for an executor no longer is.
  limit(pid, 'nofile', firstFree(pid) + 1);
  const ids = await prompts();
  await vi.waitFor(async () => {
    const { queue_block } = await client.status.find();
    expect(queue_block).toMatchObject({ code: 'no_resources' });
  });
  // Some may run: the daemon closes connections of its own, and each gives a handle back. None may fail.
  const tasks = await Promise.all(ids.map((id) => client.tasks.get(id)));
  const statuses = new Set(tasks.map(({ status }) => status));
  expect(statuses).toContain('QUEUED');
  expect([...statuses].filter((status) => !ALIVE.has(status))).toEqual([]);
  limit(pid, 'nofile', 4096);
  for (const id of ids) {
    await vi.waitFor(async () =>
      expect(await client.tasks.get(id)).toMatchObject({ status: 'COMPLETED', output: 'Hello.' }),
    );
  }
});
