import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatonClient } from '@baton/client';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { login, type Served, serveIn } from '../packages/cli/src/testing/served.ts';

/** Methods that the typed client omits on purpose, or has under another name. */
const OTHERWISE = [
  'authentication.create',
  'messages.create',
  'messages.streamChunk',
  'messages.subscribe',
];

let folder: string;
let served: Served;
let client: BatonClient;

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-client-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  served = await serveIn(join(folder, 'state'));
  client = clientOf(await login(served));
});

function clientOf(token?: string): BatonClient {
  const made = new BatonClient({ url: served.url, token });
  onTestFinished(() => made.close());
  return made;
}

/** Starts a task that asks, and returns the message of its request. */
async function asked() {
  const { session_id } = await client.sessions.create({ cwd: folder, backend: 'demo' });
  const prompt = 'demo:script [{"shell":"echo hi"}]';
  const { task_id } = await client.sessions.executeTask(session_id, { prompt });
  const request = await vi.waitFor(async () => {
    const { data } = await client.messages.find({ session_id });
    const found = data.find(({ type }) => type === 'permission_request');
    if (!found) throw new Error('Nobody has asked yet.');
    return found;
  }, 20_000);
  return { session_id, task_id, request };
}

test('every method of every service can be called', async () => {
  type Description = { paths: Record<string, Record<string, { operationId: string }>> };
  const response = await fetch(`${served.url}/openapi.json`);
  const { paths } = (await response.json()) as Description;
  const ids = Object.values(paths).flatMap((verbs) =>
    Object.values(verbs).map(({ operationId }) => operationId),
  );
  const services = client as unknown as Record<string, Record<string, unknown> | undefined>;
  const missing = ids.filter((id) => {
    const [service = '', method = ''] = id.split('.');
    const name = service.replaceAll(/-(.)/g, (_all, letter: string) => letter.toUpperCase());
    return typeof services[name]?.[method] !== 'function';
  });
  expect(missing.sort()).toEqual(OTHERWISE);
});

test('users are added, changed and logged in, with links and passwords', async () => {
  const me = await client.users.me();
  expect(me).toMatchObject({ role: 'owner', disabled: false });
  const { link_secret, ...added } = await client.users.create({ name: 'Someone', role: 'viewer' });
  expect(await client.users.find()).toEqual(expect.arrayContaining([me, added]));
  const stranger = clientOf();
  const { accessToken, user } = await stranger.authentication.withLink(link_secret);
  expect(user).toEqual(added);
  const someone = clientOf(accessToken);
  const password = 'long enough for anybody';
  expect(await someone.users.patch('me', { password })).toMatchObject({ has_password: true });
  const again = await stranger.authentication.withPassword('Someone', password);
  expect(again.user.user_id).toBe(added.user_id);
  await client.users.patch(added.user_id, { role: 'member' });
  expect(await client.users.get(added.user_id)).toMatchObject({ role: 'member' });
  const other = await client.users.createLink(added.user_id);
  expect(other.link_secret).not.toBe(link_secret);
  await someone.authentication.remove();
  await expect(someone.users.me()).rejects.toMatchObject({ code: 'unauthenticated' });
});

test('tokens are made for scripts, listed and revoked', async () => {
  const { secret, ...token } = await client.tokens.create({ name: 'CI', role: 'viewer' });
  expect(token).toMatchObject({ name: 'CI', role: 'viewer', expires_at: null, revoked_at: null });
  expect(await client.tokens.find()).toEqual([token]);
  const script = clientOf(secret);
  expect(await script.users.me()).toEqual(await client.users.me());
  await client.tokens.remove(token.token_id);
  expect(await client.tokens.find()).toMatchObject([{ revoked_at: expect.any(String) }]);
  await expect(script.users.me()).rejects.toMatchObject({ code: 'unauthenticated' });
});

test('a rule settles a pending request, is listed and removed', async () => {
  const { session_id, task_id, request } = await asked();
  const [waiting] = (await client.permissions.find()).data;
  expect(waiting).toMatchObject({ task_id, answer: null, answered_by: null });
  const { tool = '' } = (waiting?.request ?? {}) as { tool?: string };
  const rule = await client.rules.create({ session_id, tool, decision: 'deny' });
  expect(await client.rules.find({ session_id })).toMatchObject({ total: 1, data: [rule] });
  await vi.waitFor(async () => {
    expect((await client.tasks.get(task_id)).completed_at).not.toBeNull();
  }, 20_000);
  expect(await client.messages.get(request.message_id)).toMatchObject({
    content: { status: 'denied' },
  });
  await client.rules.remove(rule.rule_id);
  expect(await client.rules.find()).toMatchObject({ total: 0, data: [] });
});

test('executors are listed while they work, and requests answered by their message', async () => {
  const { session_id, task_id, request } = await asked();
  const [executor] = await client.executors.find();
  expect(executor).toMatchObject({ session_id, task_id, ended_at: null });
  // A lease is longer than the time between two signs of life.
  const { heartbeat_at, lease_expires_at } = executor ?? {};
  expect(Date.parse(lease_expires_at ?? '')).toBeGreaterThan(Date.parse(heartbeat_at ?? ''));
  const content = { status: 'approved' as const };
  const answered = await client.messages.patch(request.message_id, { content });
  expect(answered).toMatchObject({ receipt: 'accepted', message_id: request.message_id });
  await vi.waitFor(async () => expect(await client.executors.find()).toEqual([]), 20_000);
  expect(await client.tasks.get(task_id)).toMatchObject({ status: 'COMPLETED' });
});
