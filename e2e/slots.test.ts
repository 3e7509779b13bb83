import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatonClient } from '@baton/client';
import { startDaemon } from '@baton/daemon';
import type { PermissionMode, TaskStatus } from '@baton/protocol';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { ownerOf } from '../packages/cli/src/testing/served.ts';

test('a task that needed input continues after the answer, although no slot is free', async () => {
  vi.stubEnv('BATON_DEMO_PACE', '0');
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-slots-')));
  const command = { file: process.execPath, args: [inject('baton'), 'executor'] };
  const executors = { command, slots: 1 };
  const daemon = await startDaemon({ folder: join(folder, 'state'), port: 0, executors });
  const client = new BatonClient({ url: daemon.url, token: await ownerOf(daemon) });
  onTestFinished(async () => {
    client.close();
    await daemon.close();
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  const begin = async (prompt: string, permissionMode: PermissionMode) => {
    const { session_id } = await client.sessions.create({ cwd: folder, backend: 'demo' });
    return client.sessions.executeTask(session_id, { prompt, permission_mode: permissionMode });
  };
  const is = (taskId: string, status: TaskStatus) =>
    vi.waitFor(async () => expect((await client.tasks.get(taskId)).status).toBe(status), 20_000);

  const asking = await begin('demo:script [{"shell":"true"},{"say":"Done."}]', 'ask');
  await is(asking.task_id, 'AWAITING_PERMISSION');
  const busy = await begin('demo:stall', 'allow-all');
  await is(busy.task_id, 'RUNNING');
  const waiting = await begin('demo:stall', 'allow-all');
  expect(await client.status.find()).toMatchObject({
    slots_in_use: 1,
    queue_block: { code: 'slots_in_use' },
  });
  const [request] = (await client.permissions.find()).data;
  const { session_id, task_id } = asking;
  const answer = { decision: 'allow' as const };
  const request_id = request?.request_id ?? '';
  await client.permissions.answer({ session_id, task_id, request_id, answer });
  await is(task_id, 'COMPLETED');
  await is(waiting.task_id, 'QUEUED');
});
