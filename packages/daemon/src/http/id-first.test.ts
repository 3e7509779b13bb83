import { beforeEach, expect, test } from 'vitest';
import { type FeathersClient, feathersClient } from '../testing/feathers-client.ts';
import { type TestDaemon, testDaemon } from '../testing/test-daemon.ts';

let daemon: TestDaemon;
let client: FeathersClient;
let sessionId: string;

beforeEach(async () => {
  daemon = await testDaemon();
  client = feathersClient(daemon.daemon.url, daemon.tokens.member);
  sessionId = await daemon.session();
});

/** Calls a method by a bare message, and gives its error or its result. */
async function emit(...message: [string, ...unknown[]]): Promise<Record<string, unknown>> {
  const [error, result] = await new Promise<Record<string, unknown>[]>((resolve) => {
    client.socket.emit(...message, (...answer: Record<string, unknown>[]) => resolve(answer));
  });
  return error ?? result ?? {};
}

test('a custom method accepts the id first and its data second', async () => {
  const prompt = { prompt: 'Hi', permissionMode: 'auto' };
  const task = await emit('executeTask', 'sessions', sessionId, prompt);
  expect(task).toMatchObject({ session_id: sessionId, permission_mode: 'auto' });
  const stop = { taskId: task.task_id };
  expect(await emit('stopTask', 'sessions', sessionId, stop, {})).toMatchObject({
    receipt: 'cancelled',
  });
});

test('a Feathers client sends the data of a custom method as a query', async () => {
  const sessions = client.service('sessions', 'executeTask', 'stopTask');
  const task = await sessions.executeTask?.(sessionId, { query: { prompt: 'Hi' } });
  expect(task).toMatchObject({ session_id: sessionId, full_prompt: 'Hi' });
  const stop = { query: { taskId: task?.task_id } };
  expect(await sessions.stopTask?.(sessionId, stop)).toMatchObject({ receipt: 'cancelled' });
});

test('the form with one object stays', async () => {
  const sessions = client.service('sessions', 'executeTask', 'stopTask');
  const session_id = sessionId;
  const task = await sessions.executeTask?.({ session_id, prompt: 'Hi' });
  const stop = { session_id, taskId: task?.task_id };
  expect(await sessions.stopTask?.(stop)).toMatchObject({ receipt: 'cancelled' });
});

test('the first id takes precedence', async () => {
  const data = { session_id: 'another', prompt: 'Hi' };
  expect(await emit('executeTask', 'sessions', sessionId, data)).toMatchObject({
    session_id: sessionId,
  });
});

test.each<[string, unknown[]]>([
  ['no data', []],
  ['an empty object', [{}]],
  ['a text', ['x']],
  ['unknown fields', [{ prompt: 'Hi', color: 'red' }]],
  ['an unknown query', [{ prompt: 'Hi' }, { color: 'red' }]],
  ['too many arguments', [{ prompt: 'Hi' }, {}, {}]],
])('an id and %s is refused', async (_what, rest) => {
  expect(await emit('executeTask', 'sessions', sessionId, ...rest)).toMatchObject({ code: 400 });
  const { body } = await daemon.call('GET', `/tasks?session_id=${sessionId}`);
  expect(body.total).toBe(0);
});

test('methods without an id in their data accept no id', async () => {
  expect(await emit('subscribe', 'messages', sessionId, {})).toMatchObject({ code: 400 });
  expect(await emit('executeTask', 'constructor', sessionId, {})).toMatchObject({ code: 404 });
});
