import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { endTask } from '../../commands/stop-task.ts';
import { testDaemon } from '../../testing/test-daemon.ts';

test('a prompt sent again with the same id is the same task', async () => {
  const daemon = await testDaemon();
  const [one, other] = [await daemon.session(), await daemon.session()];
  const give = (session: string, body: object) =>
    daemon.call('POST', `/sessions/${session}/executeTask`, { body });
  const task_id = randomUUID();
  const [first, again] = await Promise.all([
    give(one, { prompt: 'Hello', task_id }),
    give(one, { prompt: 'Hello', task_id }),
  ]);
  expect(first.body).toMatchObject({ task_id, full_prompt: 'Hello' });
  expect(again.body).toMatchObject({ task_id, full_prompt: 'Hello' });
  const { body } = await daemon.call('GET', `/tasks?session_id=${one}`);
  expect(body.total).toBe(1);
  const elsewhere = await give(other, { prompt: 'Hello', task_id });
  expect(elsewhere.status).toBe(409);
  expect((await give(one, { prompt: 'Hello', task_id: 'mine' })).status).toBe(400);
});

test('a session created again with the same id is the same session', async () => {
  const daemon = await testDaemon();
  const session_id = randomUUID();
  const body = { cwd: '/tmp', backend: 'demo', session_id };
  const begin = (given: object = {}) =>
    daemon.call('POST', '/sessions', { body: { ...body, ...given } });
  const [first, again] = await Promise.all([begin(), begin()]);
  expect([first.body.session_id, again.body.session_id]).toEqual([session_id, session_id]);
  expect((await begin()).body).toMatchObject({ session_id });
  expect((await daemon.call('GET', '/sessions')).body.total).toBe(1);
  expect((await begin({ session_id: 'mine' })).status).toBe(400);
});

test('a steering message sent again with the same id is delivered once', async () => {
  const daemon = await testDaemon();
  const { log, queue } = daemon.daemon.store;
  const session = await daemon.session();
  const { body: task } = await daemon.call('POST', `/sessions/${session}/executeTask`, {
    body: { prompt: 'Hello' },
  });
  const taskId = String(task.task_id);
  const steer = (given: object) =>
    daemon.call('POST', `/sessions/${session}/steerTask`, { body: { task_id: taskId, ...given } });
  const steers = async () =>
    (await log.read(session, 0, 100)).events.filter(({ type }) => type === 'task.steered');
  await queue.claim({ executorId: 'e', daemonId: 'd', host: 'h', leaseMs: 60_000, taskId });
  const once = { text: 'Hurry', steer_id: randomUUID() };
  const [first, again] = await Promise.all([steer(once), steer(once)]);
  expect([first.status, again.status]).toEqual([200, 200]);
  expect(await steers()).toMatchObject([{ text: 'Hurry', steerId: once.steer_id }]);
  await steer({ text: 'Hurry' });
  await steer({ text: 'Hurry', steer_id: randomUUID() });
  expect(await steers()).toHaveLength(3);
  expect((await steer({ text: 'Hurry', steer_id: 'mine' })).status).toBe(400);
  // It was told also when the task has ended since, and the answer comes late.
  await endTask(daemon.daemon.store, session, taskId, { outcome: 'cancelled' });
  expect((await steer(once)).status).toBe(200);
  expect((await steer({ text: 'Hurry', steer_id: randomUUID() })).status).toBe(409);
});
