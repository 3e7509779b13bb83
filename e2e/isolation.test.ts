import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { BatonClient } from '@baton/client';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { login, serveIn } from '../packages/cli/src/testing/served.ts';
import { bubblewrapProblem } from '../packages/executor/src/testing/bubblewrap.ts';

const noSandbox = await bubblewrapProblem();

let folder: string;
let workspace: string;
let client: BatonClient;

beforeEach(async () => {
  // Not in the folder for temporary files, which a sandbox hides anyway.
  folder = mkdtempSync('/var/tmp/baton-confined-');
  onTestFinished(() => rmSync(folder, { recursive: true }));
  workspace = join(folder, 'workspace');
  mkdirSync(workspace);
  const served = await serveIn(join(folder, 'state'), 0, [], { HOME: folder });
  client = new BatonClient({ url: served.url, token: await login(served) });
});
afterEach(() => client.close());

const set = (name: string, value: unknown) =>
  client.connection.call('settings', 'patch', [name, { value }]);

async function outputOf(shell: string, sessionId?: string): Promise<string> {
  const id =
    sessionId ?? (await client.sessions.create({ cwd: workspace, backend: 'demo' })).session_id;
  const { task_id } = await client.sessions.executeTask(id, {
    prompt: `demo:script ${JSON.stringify([{ shell }])}`,
    permission_mode: 'allow-all',
  });
  await vi.waitFor(
    async () => expect((await client.tasks.get(task_id)).completed_at).not.toBeNull(),
    20_000,
  );
  const task = await client.tasks.get(task_id);
  if (task.status === 'FAILED') return `${task.error?.code}: ${task.error?.message}`;
  const { data } = await client.messages.find({ session_id: id, task_id });
  const tool = data.find(({ type }) => type === 'tool')?.content as { output: string } | undefined;
  return tool?.output ?? '';
}

test('agents of a daemon that confines them cannot read its key, but work and remember', async (context) => {
  if (noSandbox) context.skip(noSandbox);
  const key = join(folder, 'state/master.key');
  expect(await outputOf(`cat ${key} && echo read`)).toContain('read');
  await set('executors.isolation', 'bubblewrap');
  const { session_id } = await client.sessions.create({ cwd: workspace, backend: 'demo' });
  const tried = await outputOf(
    `cat ${key} && echo read; ls ${folder}/state; echo made > made.txt`,
    session_id,
  );
  expect(tried).not.toContain('read\n');
  expect(tried).not.toContain('master.key\n');
  expect(existsSync(join(workspace, 'made.txt'))).toBe(true);
  // The conversation goes on: the agent could keep what it knows.
  expect(await outputOf('echo again', session_id)).toContain('again');
  const { data } = await client.tasks.find({ session_id });
  expect(new Set(data.map(({ native_session_id }) => native_session_id)).size).toBe(1);
  expect(readdirSync(join(folder, 'state/spool'))).toEqual([]);
});

test('a confined session that began behind a link works in the folder that it led to', async (context) => {
  if (noSandbox) context.skip(noSandbox);
  await set('executors.isolation', 'bubblewrap');
  const link = join(folder, 'link');
  symlinkSync(workspace, link);
  const { session_id, cwd } = await client.sessions.create({ cwd: link, backend: 'demo' });
  expect(cwd).toBe(workspace);
  expect(await outputOf('pwd', session_id)).toContain(workspace);
});

test('a session around the data of the daemon fails once agents are confined', async (context) => {
  if (noSandbox) context.skip(noSandbox);
  await set('executors.isolation', 'bubblewrap');
  for (const cwd of ['/', folder]) {
    const { session_id } = await client.sessions.create({ cwd, backend: 'demo' });
    expect(await outputOf('id', session_id)).toContain(`cannot work in ${cwd}:`);
  }
});

test('an agent that is kept ready gets no further prompt once agents are to be confined', async (context) => {
  if (noSandbox) context.skip(noSandbox);
  await set('executors.keep_open_ms', 600_000);
  const { session_id } = await client.sessions.create({ cwd: workspace, backend: 'demo' });
  const reading = `cat ${join(folder, 'state/master.key')} && echo read`;
  expect(await outputOf(reading, session_id)).toContain('read');
  await set('executors.isolation', 'bubblewrap');
  expect(await outputOf(reading, session_id)).not.toContain('read\n');
});

test('an isolation mode that is not available fails the task with a hint', async () => {
  await set('executors.isolation', 'user');
  await set('executors.unix_user', 'nobody-there');
  expect(await outputOf('id')).toMatch(/^config_invalid: /);
});
