import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { type TestDaemon, testDaemon } from '../../testing/test-daemon.ts';

async function withTasks(count: number): Promise<TestDaemon> {
  const served = await testDaemon();
  for (let n = 0; n < count; n++) {
    const id = await served.session();
    await served.call('POST', `/sessions/${id}/executeTask`, { body: { prompt: 'Hi' } });
  }
  return served;
}

async function take({ call, tokens }: Bound, claimId: string, as = tokens.member) {
  const body = { claim_id: claimId, host: 'here', pid: 1 };
  const answer = await call('POST', '/executors', { as, body });
  const { task_id } = (answer.body.task ?? {}) as { task_id?: string };
  return { status: answer.status, task_id, executor_id: answer.body.executor_id };
}

type Bound = Pick<TestDaemon, 'call' | 'tokens'>;
const bound = (served: TestDaemon): Bound => ({
  call: served.call.bind(served),
  tokens: served.tokens,
});

test('claiming again after a lost response returns the same task', async () => {
  const served = bound(await withTasks(2));
  const claimId = randomUUID();
  const first = await take(served, claimId);
  expect(first.status).toBe(201);
  expect(await take(served, claimId)).toEqual(first);
  expect((await take(served, randomUUID())).task_id).not.toBe(first.task_id);
});

test('two concurrent calls claim one task', async () => {
  const served = bound(await withTasks(2));
  const claimId = randomUUID();
  const [one, two] = await Promise.all([take(served, claimId), take(served, claimId)]);
  expect(one).toEqual(two);
});

test('the claim token of another executor is invalid', async () => {
  const served = bound(await withTasks(2));
  const claimId = randomUUID();
  const first = await take(served, claimId);
  const other = await take(served, claimId, served.tokens.owner);
  expect(other.task_id).not.toBe(first.task_id);
  expect(other.executor_id).not.toBe(first.executor_id);
});

test('only an executor that a person starts on this machine says where its spool is', async () => {
  const served = await withTasks(2);
  const { store } = served.daemon;
  const taken = async (as: string, host: string, spool_folder: string) => {
    const { body, status } = await served.call('POST', '/executors', {
      as,
      body: { host, pid: 1, spool_folder },
    });
    const row = await store.records.executors.get(String(body.executor_id));
    return { status, token: String(body.token), folder: row?.spool_folder };
  };
  const { member } = served.tokens;
  expect((await taken(member, hostname(), 'not/absolute')).status).toBe(400);
  expect((await taken(member, hostname(), '/a\0b')).status).toBe(400);
  const there = await taken(member, 'elsewhere', '/spools');
  expect(there.folder).toBeNull();
  expect((await taken(there.token, hostname(), '/spools')).folder).toBeNull();
  expect((await taken(member, hostname(), '/spools')).folder).toBe('/spools');
});

test('the progress of an agent is stored in whole milliseconds', async () => {
  const served = await withTasks(1);
  const { body } = await served.call('POST', '/executors', { body: { host: 'here', pid: 1 } });
  const answer = await served.call('POST', '/executors', {
    as: String(body.token),
    headers: { 'X-Service-Method': 'heartbeat' },
    body: { idle_ms: 1.25 },
  });
  expect(answer.status).toBeLessThan(300);
  const row = await served.daemon.store.records.executors.get(String(body.executor_id));
  expect(Number.isInteger(row?.progress_at)).toBe(true);
});

test('a task token can make the mode of its task stricter, and never wider', async () => {
  const served = await testDaemon();
  const session_id = await served.session();
  const prompt = { prompt: 'Hi', permission_mode: 'auto' };
  await served.call('POST', `/sessions/${session_id}/executeTask`, { body: prompt });
  const facts = { host: 'here', pid: 1 };
  const { token } = (await served.call('POST', '/executors', { body: facts })).body;
  const again = (permission_mode: string) =>
    served.call('POST', '/executors', {
      as: String(token),
      body: { ...facts, permission_mode },
    });
  expect((await again('allow-all')).status).toBe(400);
  expect((await again('ask')).body.task).toMatchObject({ permission_mode: 'ask' });
  expect((await again('auto')).status).toBe(400);
  const { events } = await served.daemon.store.log.read(session_id, 0, 100);
  expect(events.filter(({ type }) => type === 'task.narrowed')).toMatchObject([
    { from: 'auto', permissionMode: 'ask' },
  ]);
});

test('an executor that is newer than its daemon is told to wait for the daemon, and fields of others are ignored', async () => {
  const served = await testDaemon();
  const session_id = await served.session();
  await served.call('POST', `/sessions/${session_id}/executeTask`, { body: { prompt: 'Hi' } });
  const claim = (more: object) =>
    served.call('POST', '/executors', { body: { host: 'here', pid: 1, ...more } });
  const { body: status } = await served.call('GET', '/status');
  const own = Number(status.executor_protocol);
  const newer = await claim({ protocol: own + 1 });
  expect(newer).toMatchObject({ status: 409 });
  expect(newer.body.message).toBe(
    `The executor speaks version ${own + 1} of the protocol, and the daemon ${own}.`,
  );
  const { data } = (await served.call('GET', '/tasks')).body as { data: { status: string }[] };
  expect(data).toMatchObject([{ status: 'QUEUED' }]);
  expect((await claim({ protocol: own, of_a_later_version: true })).status).toBe(201);
});
