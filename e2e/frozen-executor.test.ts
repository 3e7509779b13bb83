import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatonClient } from '@baton/client';
import { startDaemon } from '@baton/daemon';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { isRunning } from '../packages/cli/src/testing/baton.ts';
import { ownerOf } from '../packages/cli/src/testing/served.ts';

const AN_HOUR = 3_600_000;

test('a stop ends a frozen executor with its agent, and does not wait for either', async () => {
  vi.stubEnv('BATON_DEMO_PACE', '0');
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-frozen-')));
  const command = { file: process.execPath, args: [inject('baton'), 'executor'] };
  const daemon = await startDaemon({
    folder: join(folder, 'state'),
    port: 0,
    executors: { command },
    // Waiting for the executor to exit would take this long.
    stopMs: AN_HOUR,
  });
  const client = new BatonClient({ url: daemon.url, token: await ownerOf(daemon) });
  onTestFinished(async () => {
    client.close();
    await daemon.close();
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  const { session_id } = await client.sessions.create({ cwd: folder, backend: 'demo' });
  const prompt = 'demo:script [{"shell":"echo agent $PPID."},{"say":"Ready."},{"stall":true}]';
  const permissionMode = 'allow-all';
  const { task_id: taskId } = await client.sessions.executeTask(session_id, {
    prompt,
    permission_mode: permissionMode,
  });
  const seen: string[] = [];
  let agent = '';
  for await (const event of client.follow(session_id)) {
    seen.push(event.type);
    if (event.type === 'tool.completed') agent = /agent (\d+)/.exec(event.output ?? '')?.[1] ?? '';
    if (event.type === 'message.completed') {
      const [executor] = await client.executors.find();
      process.kill(executor?.pid ?? 0, 'SIGSTOP');
      await client.sessions.stopTask(session_id, { task_id: taskId });
    }
    if (event.type !== 'run.completed') continue;
    expect(event).toMatchObject({ outcome: 'cancelled', stop: { state: 'stopped' } });
    break;
  }
  expect(seen.slice(-3)).toEqual(['stop.requested', 'task.lost', 'run.completed']);
  expect(agent).not.toBe('');
  expect(isRunning(agent)).toBe(false);
  await vi.waitFor(async () => expect(await client.executors.find()).toEqual([]));
});
