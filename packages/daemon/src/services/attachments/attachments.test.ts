import { expect, test } from 'vitest';
import { queuePrompt } from '../../commands/queue-prompt.ts';
import { testDaemon } from '../../testing/test-daemon.ts';

const file = (session_id: string, more: object = {}) => ({
  session_id,
  name: 'notes.txt',
  media_type: 'text/plain',
  data: Buffer.from('Hello.').toString('base64'),
  ...more,
});

test('a file is stored, listed without its content, returned and deleted', async () => {
  const daemon = await testDaemon();
  const id = await daemon.session();
  const made = await daemon.call('POST', '/attachments', { body: file(id) });
  expect(made).toMatchObject({ status: 201, body: { name: 'notes.txt', bytes: 6 } });
  expect(made.body).not.toHaveProperty('data');
  const list = await daemon.call('GET', `/attachments?session_id=${id}`);
  expect(list.body).toEqual([made.body]);
  const path = `/attachments/${made.body.attachment_id}`;
  expect((await daemon.call('GET', path)).body).toEqual({ ...made.body, data: file(id).data });
  expect((await daemon.call('DELETE', path)).status).toBe(200);
  expect((await daemon.call('GET', path)).status).toBe(404);
});

test('accepts a file of 20 MB, and rejects a larger one with a hint', async () => {
  const daemon = await testDaemon();
  const id = await daemon.session();
  const bytes = (count: number) => Buffer.alloc(count, 7).toString('base64');
  const most = 20 * 1024 * 1024;
  const add = (data: string) => daemon.call('POST', '/attachments', { body: file(id, { data }) });
  expect((await add(bytes(most))).status).toBe(201);
  const refused = await add(bytes(most + 1));
  expect(refused).toMatchObject({
    status: 400,
    body: { message: 'The attachment exceeds the limit of 20 MB.' },
  });
});

test.each([{ data: 'not base64!' }, { name: '../up' }, { media_type: 'text' }])(
  'what makes no sense is refused: %j',
  async (wrong) => {
    const daemon = await testDaemon();
    const body = file(await daemon.session(), wrong);
    expect((await daemon.call('POST', '/attachments', { body })).status).toBe(400);
  },
);

test('a prompt can only use attachments of its own session', async () => {
  const daemon = await testDaemon();
  const [own, other] = [await daemon.session(), await daemon.session()];
  const { attachment_id } = (await daemon.call('POST', '/attachments', { body: file(own) })).body;
  const prompt = (session: string) =>
    daemon.call('POST', `/sessions/${session}/executeTask`, {
      body: { prompt: 'Hi', attachments: [attachment_id] },
    });
  expect(await prompt(other)).toMatchObject({ status: 400, body: { data: { code: 'usage' } } });
  expect(await prompt(own)).toMatchObject({ status: 200, body: { attachments: [attachment_id] } });
});

test('an executor can only read those of its own session', async () => {
  const daemon = await testDaemon();
  const [own, other] = [await daemon.session(), await daemon.session()];
  const add = async (id: string) =>
    (await daemon.call('POST', '/attachments', { body: file(id) })).body.attachment_id;
  const { store, taskTokens } = daemon.daemon;
  const taskId = await queuePrompt(store, own, { prompt: 'Hi' });
  const claimant = { executorId: 'e', daemonId: 'd', host: 'h', leaseMs: 60_000, taskId };
  const fence = (await store.queue.claim(claimant))?.lease.fence ?? 0;
  const as = await taskTokens.sign({ sessionId: own, taskId, executorId: 'e', fence });
  expect((await daemon.call('GET', `/attachments/${await add(own)}`, { as })).status).toBe(200);
  expect((await daemon.call('GET', `/attachments/${await add(other)}`, { as })).status).toBe(404);
});
