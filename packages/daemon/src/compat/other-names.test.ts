import { sessionsWire } from '@baton/protocol/wire';
import { expect, test } from 'vitest';
import { testDaemon } from '../testing/test-daemon.ts';
import { inBatonNames } from './other-names.ts';

const named = (data: unknown) => inBatonNames(sessionsWire.executeTask.data, data);

test('a name of the executor contract becomes the name of the schema', () => {
  expect(named({ prompt: 'Hi', permissionMode: 'auto' })).toEqual({
    prompt: 'Hi',
    permission_mode: 'auto',
  });
});

test('a name that the schema does not know stays', () => {
  expect(named({ afterMs: 1, constructor: 2 })).toEqual({ afterMs: 1, constructor: 2 });
  expect(named('Hi')).toBe('Hi');
});

test('the fields of an option are left alone, whatever they are called', () => {
  const options = { taskId: 1, permissionMode: 'auto' };
  expect(named({ options })).toEqual({ options });
});

test.each([
  ['task_id', 'permission_mode'],
  ['taskId', 'permissionMode'],
])('tasks are queued, steered, retried and stopped with %s and %s', async (task, mode) => {
  const daemon = await testDaemon();
  const id = await daemon.session();
  const post = (method: string, body: object) =>
    daemon.call('POST', `/sessions/${id}/${method}`, { body });
  const queued = await post('executeTask', { prompt: 'Hi', [mode]: 'auto' });
  expect(queued.body).toMatchObject({ permission_mode: 'auto' });
  const taskId = queued.body.task_id;
  expect(await post('steerTask', { [task]: taskId, text: 'Hm' })).toMatchObject({
    status: 409,
  });
  expect((await post('retryTask', { [task]: taskId })).status).toBe(200);
  expect(await post('stopTask', { [task]: taskId })).toMatchObject({
    body: { receipt: 'cancelled' },
  });
});

test('both names of one field at once are refused', async () => {
  const daemon = await testDaemon();
  const body = { task_id: 'a', taskId: 'b' };
  const path = `/sessions/${await daemon.session()}/stopTask`;
  expect(await daemon.call('POST', path, { body })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('"taskId"') },
  });
});

test('a request policy accepts after_ms or afterMs, and returns after_ms', async () => {
  const daemon = await testDaemon();
  const path = `/sessions/${await daemon.session()}`;
  const given = { after_ms: 60_000, action: 'deny' };
  for (const request_policy of [given, { afterMs: 60_000, action: 'deny' }]) {
    await daemon.call('PATCH', path, { body: { request_policy: null } });
    const { body } = await daemon.call('PATCH', path, { body: { request_policy } });
    expect(body.request_policy).toEqual(given);
  }
});
