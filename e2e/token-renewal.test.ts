import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBaton } from '@baton/agents/registry/create-baton';
import { BatonClient } from '@baton/client';
import { type Daemon, startDaemon } from '@baton/daemon';
import { executeTask } from '@baton/executor';
import { spoolName } from '@baton/protocol';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ownerOf } from '../packages/cli/src/testing/served.ts';

const HOUR = 3_600_000;

test('a daemon that was away for longer than a token lasts still gets the spool', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-away-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  let daemon: Daemon = await startDaemon({ folder, port: 0, logLevel: 'silent' });
  onTestFinished(() => daemon.close());
  const token = await ownerOf(daemon);
  const client = new BatonClient({ url: daemon.url, token });
  onTestFinished(() => client.close());
  const { session_id } = await client.sessions.create({ cwd: folder, backend: 'demo' });
  const go = join(folder, 'go');
  const script = [
    { say: 'Before. ' },
    { shell: `until test -e ${go}; do sleep 0.05; done` },
    ...Array.from({ length: 50 }, (_, n) => ({ say: `word ${n}. ` })),
  ];
  const { task_id } = await client.sessions.executeTask(session_id, {
    prompt: `demo:script ${JSON.stringify(script)}`,
    permission_mode: 'allow-all',
  });
  const spoolFolder = join(folder, 'spools');
  const baton = await createBaton({ settings: 'none' });
  const task = { daemonUrl: daemon.url, token, spoolFolder, taskId: task_id };
  const executor = executeTask({ ...task, baton });
  await vi.waitFor(async () => {
    const { data } = await client.messages.find({ session_id });
    expect(data.some(({ type }) => type === 'tool')).toBe(true);
  }, 20_000);
  await daemon.close();
  writeFileSync(go, '');
  const spool = join(spoolFolder, spoolName(task_id));
  await vi.waitFor(() => expect(readFileSync(spool, 'utf8')).toContain('run.completed'), 20_000);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + HOUR });
  onTestFinished(() => void vi.useRealTimers());
  const port = Number(new URL(daemon.url).port);
  daemon = await startDaemon({ folder, port, logLevel: 'silent' });
  await executor;
  expect((await client.tasks.get(task_id)).status).toBe('COMPLETED');
  const { events } = await client.events.find({ session_id });
  for (let n = 0; n < 50; n++) expect(JSON.stringify(events)).toContain(`word ${n}.`);
  const seqs = events.flatMap((event) => ('seq' in event ? event.seq : []));
  expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  expect(existsSync(spool)).toBe(false);
});
