import { expect, test } from 'vitest';
import { type TestDaemon, testDaemon } from '../../testing/test-daemon.ts';

const key = (more: object = {}) => ({ name: 'OPENAI_API_KEY', value: 'sk-one', ...more });

test('a key is stored encrypted, and listed without its value', async () => {
  const { call, daemon } = bound(await testDaemon());
  const made = await call('POST', '/api-keys', { body: key() });
  expect(made).toMatchObject({ status: 201, body: { name: 'OPENAI_API_KEY', shared: false } });
  const [row] = await daemon.store.records.apiKeys.find();
  expect(row?.sealed).toMatch(/^v1\./);
  const { body } = await call('GET', '/api-keys');
  expect(body).toEqual([made.body]);
  expect(JSON.stringify([made.body, body])).not.toMatch(/sk-one|sealed/);
});

test('a new key replaces the one with its name', async () => {
  const { call, daemon } = bound(await testDaemon());
  await call('POST', '/api-keys', { body: key() });
  const [before] = await daemon.store.records.apiKeys.find();
  await call('POST', '/api-keys', { body: key({ value: 'sk-two' }) });
  const rows = await daemon.store.records.apiKeys.find();
  expect(rows).toHaveLength(1);
  expect(rows[0]?.sealed).not.toBe(before?.sealed);
});

test('everybody sees their own keys and the shared ones, and only owners share', async () => {
  const { call, tokens } = bound(await testDaemon());
  const { member } = tokens;
  await call('POST', '/api-keys', { body: key() });
  await call('POST', '/api-keys', { body: key({ name: 'GEMINI_API_KEY', shared: true }) });
  await call('POST', '/api-keys', { body: key({ name: 'ANTHROPIC_API_KEY' }), as: member });
  const { body } = await call('GET', '/api-keys', { as: member });
  expect((body as unknown as { name: string }[]).map(({ name }) => name)).toEqual([
    'ANTHROPIC_API_KEY',
    'GEMINI_API_KEY',
  ]);
  const shared = await call('POST', '/api-keys', { body: key({ shared: true }), as: member });
  expect(shared).toMatchObject({ status: 403 });
});

test('users remove their own keys, owners the shared ones, and no one those of others', async () => {
  const { call, tokens } = bound(await testDaemon());
  const own = (await call('POST', '/api-keys', { body: key() })).body.key_id;
  const shared = (await call('POST', '/api-keys', { body: key({ shared: true }) })).body.key_id;
  const remove = (id: unknown, as: string) => call('DELETE', `/api-keys/${id}`, { as });
  expect((await remove(own, tokens.member)).status).toBe(404);
  expect((await remove(shared, tokens.member)).status).toBe(403);
  expect((await remove(shared, tokens.owner)).status).toBe(200);
  expect((await remove(own, tokens.owner)).status).toBe(200);
  expect((await remove(own, tokens.owner)).status).toBe(404);
});

test.each([
  [{ name: 'openai key' }, 'an environment variable name'],
  [{ value: ' ' }, 'must not be empty'],
  [{ value: 'one\ntwo' }, 'one line'],
])('what makes no sense is refused: %j', async (wrong, words) => {
  const { call } = bound(await testDaemon());
  const refused = await call('POST', '/api-keys', { body: key(wrong) });
  expect(refused.status).toBe(400);
  expect(refused.body.message).toContain(words);
});

function bound(daemon: TestDaemon) {
  return { call: daemon.call.bind(daemon), daemon: daemon.daemon, tokens: daemon.tokens };
}
