import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatonClient } from '@baton/client';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { login, serveIn } from '../packages/cli/src/testing/served.ts';

let folder: string;
let client: BatonClient;

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-administration-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const served = await serveIn(join(folder, 'state'));
  client = new BatonClient({ url: served.url, token: await login(served) });
  onTestFinished(() => client.close());
});

test('an agent reads the attachments of its prompt, and they are deleted afterwards', async () => {
  const { session_id } = await client.sessions.create({ cwd: folder, backend: 'demo' });
  const { attachment_id } = await client.attachments.create({
    session_id,
    name: 'notes.txt',
    media_type: 'text/plain',
    data: Buffer.from('The attached words.').toString('base64'),
  });
  const shell = `cat ${folder}/state/spool/*.files/*/notes.txt`;
  const { task_id } = await client.sessions.executeTask(session_id, {
    prompt: `demo:script ${JSON.stringify([{ shell }])}`,
    permission_mode: 'allow-all',
    attachments: [attachment_id],
  });
  await vi.waitFor(
    async () => expect((await client.tasks.get(task_id)).status).toBe('COMPLETED'),
    20_000,
  );
  const { data } = await client.messages.find({ session_id });
  const tool = data.find(({ type }) => type === 'tool');
  expect(JSON.stringify(tool?.content)).toContain('The attached words.');
  await vi.waitFor(() => expect(readdirSync(join(folder, 'state/spool'))).toEqual([]), 10_000);
  expect(await client.usage.find({ group_by: 'session' })).toMatchObject([
    { key: session_id, tasks: 1 },
  ]);
});

test('a task whose attachment was deleted fails with an error', async () => {
  const { session_id } = await client.sessions.create({ cwd: folder, backend: 'demo' });
  const file = { session_id, name: 'n', media_type: 'text/plain', data: '' };
  const { attachment_id } = await client.attachments.create(file);
  // The second waits for the first, and so long the attachment can still be removed.
  const { task_id: first } = await client.sessions.executeTask(session_id, {
    prompt: 'demo:stall',
  });
  const { task_id } = await client.sessions.executeTask(session_id, {
    prompt: 'Look.',
    attachments: [attachment_id],
  });
  await client.attachments.remove(attachment_id);
  await client.sessions.stopTask(session_id, { task_id: first });
  await client.sessions.resumeQueue(session_id);
  await vi.waitFor(
    async () => expect((await client.tasks.get(task_id)).status).toBe('FAILED'),
    20_000,
  );
  const { error } = await client.tasks.get(task_id);
  expect(error?.message).toBe(`Attachment "${attachment_id}" not found.`);
});

test('keys, settings and MCP servers are stored, changed and removed; agents and daemons are listed', async () => {
  const key = await client.apiKeys.create({ name: 'OPENAI_API_KEY', value: 'some-key' });
  expect(await client.apiKeys.find()).toEqual([key]);
  await client.apiKeys.remove(key.key_id);
  expect(await client.apiKeys.find()).toEqual([]);

  await client.settings.patch('executors.keep_open_ms', 1000);
  expect(await client.settings.get('executors.keep_open_ms')).toMatchObject({ value: 1000 });
  expect((await client.settings.find()).length).toBeGreaterThan(5);

  const config = { command: 'node', env: { A: 'some secret' } };
  const server = await client.mcpServers.create({ name: 'one', config });
  expect(server.config).toEqual({ command: 'node', env: { A: '***' } });
  await client.mcpServers.patch('one', { enabled: false });
  expect(await client.mcpServers.get('one')).toMatchObject({ enabled: false });
  expect(await client.mcpServers.find()).toHaveLength(1);
  await client.mcpServers.remove('one');

  expect((await client.backends.find()).map(({ id }) => id)).toContain('demo');
  expect(await client.backends.get('demo')).toMatchObject({ probe: { installed: true } });
  expect(await client.daemons.find()).toMatchObject([{ alive: true, slots: 4 }]);
});
