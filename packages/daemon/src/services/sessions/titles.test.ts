import { io } from 'socket.io-client';
import { expect, onTestFinished, test } from 'vitest';
import { type TestDaemon, testDaemon } from '../../testing/test-daemon.ts';

const prompted = async (daemon: TestDaemon, sessionId: string, prompt: string) => {
  const path = `/sessions/${sessionId}/executeTask`;
  return String((await daemon.call('POST', path, { body: { prompt } })).body.task_id);
};
const titleOf = async (daemon: TestDaemon, sessionId: unknown) =>
  (await daemon.call('GET', `/sessions/${sessionId}`)).body.title;

test('a session without a title is listed under its first prompt', async () => {
  const daemon = await testDaemon();
  const sessionId = await daemon.session();
  await prompted(daemon, sessionId, 'Mend the door.\nIt creaks.');
  const { body } = await daemon.call('GET', '/sessions');
  expect(body.data).toMatchObject([{ session_id: sessionId, title: 'Mend the door.' }]);
});

test('a fork has the title of its origin, unless the prompt that set it is replaced', async () => {
  const daemon = await testDaemon();
  const session_id = await daemon.session();
  const first = await prompted(daemon, session_id, 'Mend the door.');
  const second = await prompted(daemon, session_id, 'Paint it.');
  const forked = async (body: object) =>
    (await daemon.call('POST', `/sessions/${session_id}/fork`, { body })).body;
  expect(await forked({})).toMatchObject({ title: 'Mend the door.' });
  expect(await forked({ before_task: second })).toMatchObject({ title: 'Mend the door.' });
  expect(await forked({ before_task: first })).toMatchObject({ title: 'Mend the door.' });
  const retry = { task_id: first, prompt: 'Mend the window.' };
  const { body } = await daemon.call('POST', `/sessions/${session_id}/retryTask`, { body: retry });
  expect(await titleOf(daemon, body.session_id)).toBe('Mend the window.');
  await daemon.call('PATCH', `/sessions/${session_id}`, { body: { title: 'Doors' } });
  expect(await forked({ before_task: first })).toMatchObject({ title: 'Doors' });
});

test('followers get the title that the first prompt sets', async () => {
  const daemon = await testDaemon();
  const session_id = await daemon.session();
  const auth = { token: daemon.tokens.viewer };
  const socket = io(daemon.daemon.url, { transports: ['websocket'], auth });
  onTestFinished(() => void socket.close());
  await socket.emitWithAck('subscribe', 'messages', { session_id });
  const heard = new Promise((resolve) => socket.once('sessions patched', resolve));
  await prompted(daemon, session_id, 'Mend the door.');
  expect(await heard).toMatchObject({ session_id, title: 'Mend the door.' });
});
