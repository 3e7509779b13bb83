import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { testDaemon } from '../../testing/test-daemon.ts';

const draft = (session_id: string, more: object = {}) => ({
  session_id,
  path: 'src/a.ts',
  side: 'new',
  line: 3,
  end_line: 3,
  tree: 'a'.repeat(40),
  quote: 'const a = 1;\n',
  text: 'Use let.',
  ...more,
});

async function world() {
  const daemon = await testDaemon();
  const id = await daemon.session();
  const add = (more: object = {}) =>
    daemon.call('POST', '/review-comments', { body: draft(id, more) });
  const list = async () =>
    (await daemon.call('GET', `/review-comments?session_id=${id}`)).body as unknown as object[];
  const send = (more: object = {}) =>
    daemon.call('POST', '/review-comments/send', { body: { session_id: id, ...more } });
  return { daemon, id, add, list, send };
}

test('drafts are kept, changed, and sent together as one prompt', async () => {
  const { daemon, add, list, send } = await world();
  const first = await add();
  expect(first).toMatchObject({ status: 201, body: { task_id: null, resolved_at: null } });
  const path = `/review-comments/${first.body.comment_id}`;
  await daemon.call('PATCH', path, { body: { text: 'Use var.' } });
  await add({ path: 'b.ts', line: null, end_line: null, quote: '', text: 'Delete it.' });
  const sent = await send();
  expect(sent.status).toBe(200);
  const task = await daemon.call('GET', `/tasks/${sent.body.task_id}`);
  expect(task.body.full_prompt).toBe(
    'Address these comments on your change.\n\n1. src/a.ts:3\n```\nconst a = 1;\n```\nUse var.\n\n2. b.ts\nDelete it.',
  );
  expect(await list()).toMatchObject([
    { task_id: sent.body.task_id, sent_at: expect.any(String) },
    { task_id: sent.body.task_id },
  ]);
  expect((await send()).body).toMatchObject({ message: 'There are no comments to send.' });
  const late = await daemon.call('PATCH', path, { body: { text: 'No.' } });
  expect(late).toMatchObject({ status: 409 });
});

test('a request that is repeated sends nothing twice', async () => {
  const { daemon, add, list, send } = await world();
  await add();
  const task_id = randomUUID();
  expect((await send({ task_id })).body).toEqual({ task_id });
  expect((await send({ task_id })).body).toEqual({ task_id });
  const { body } = await daemon.call('GET', '/tasks');
  expect(body.total).toBe(1);
  expect(await list()).toMatchObject([{ task_id }]);
});

test('only chosen comments are sent, and a person resolves one', async () => {
  const { daemon, add, list, send } = await world();
  const { comment_id } = (await add()).body;
  await add({ text: 'Later.' });
  const { body } = await send({ comment_ids: [comment_id], message: 'Please:' });
  expect(await list()).toMatchObject([{ task_id: body.task_id }, { task_id: null }]);
  const path = `/review-comments/${comment_id}`;
  const resolved = await daemon.call('PATCH', path, { body: { is_resolved: true } });
  expect(resolved.body).toMatchObject({
    resolved_by: expect.any(String),
    resolved_at: expect.any(String),
  });
  const open = await daemon.call('PATCH', path, { body: { is_resolved: false } });
  expect(open.body).toMatchObject({ resolved_by: null, resolved_at: null });
  await daemon.call('DELETE', path);
  expect(await list()).toHaveLength(1);
  expect((await send({ comment_ids: [comment_id] })).status).toBe(404);
});

test.each([
  { text: ' ' },
  { line: 3, end_line: null },
  { line: 4, end_line: 3 },
  { tree: 'main' },
  { side: 'both' },
])('%j is refused', async (wrong) => {
  const { add } = await world();
  expect((await add(wrong)).status).toBe(400);
});
