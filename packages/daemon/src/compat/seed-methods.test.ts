import { expect, test } from 'vitest';
import { seedExecutor } from '../testing/seed-executor.ts';
import { type TestDaemon, testDaemon } from '../testing/test-daemon.ts';

async function requests(daemon: TestDaemon, status: string): Promise<unknown[]> {
  const { body } = await daemon.call('GET', `/permissions?status=${status}`);
  return (body.data as { request_id: string }[]).map(({ request_id }) => request_id);
}

test('a request is settled when its executor continues after the answer', async () => {
  const daemon = await testDaemon();
  const executor = await seedExecutor(daemon);
  const { message_id } = (await executor.ask('a', 'ls')).body;
  await executor.ask('b', 'rm');
  const content = { status: 'denied', reason: 'No.' };
  await daemon.call('PATCH', `/messages/${message_id}`, { body: { content } });
  expect(await requests(daemon, 'answered')).toEqual(['a']);
  const said = await executor.say('Well then.');
  expect(said.body).toMatchObject({ type: 'text', content: 'Well then.' });
  expect(await requests(daemon, 'resolved')).toEqual(['a']);
  expect(await requests(daemon, 'pending')).toEqual(['b']);
  const shown = (await daemon.call('GET', `/messages/${message_id}`)).body;
  expect(shown.content).toMatchObject({ status: 'denied', reason: 'No.' });
});

test('nothing stays open behind the end of a task', async () => {
  const daemon = await testDaemon();
  const executor = await seedExecutor(daemon);
  await executor.stream('m', 'I will');
  const allowed = (await executor.ask('a', 'ls')).body;
  const forgotten = (await executor.ask('b', 'rm')).body;
  const approved = { content: { status: 'approved' } };
  await daemon.call('PATCH', `/messages/${allowed.message_id}`, { body: approved });
  expect((await executor.end('COMPLETED')).body).toMatchObject({ status: 'COMPLETED' });
  expect(await requests(daemon, 'pending')).toEqual([]);
  expect(await requests(daemon, 'answered')).toEqual([]);
  const { sessionId } = executor;
  const entries = await daemon.daemon.store.entries(sessionId, { limit: 10 });
  expect(entries.filter(({ open }) => open)).toEqual([]);
  const statusOf = async (id: unknown) =>
    (await daemon.call('GET', `/messages/${id}`)).body.content;
  expect(await statusOf(allowed.message_id)).toMatchObject({ status: 'approved' });
  expect(await statusOf(forgotten.message_id)).toMatchObject({ status: 'denied' });
  const { events } = await daemon.daemon.store.log.read(sessionId, 0, 100);
  expect(events.at(-1)).toMatchObject({ type: 'run.completed', outcome: 'done' });
  expect(events.some(({ type }) => type === 'task.lost')).toBe(false);
});

test('returns the message that ends last', async () => {
  const daemon = await testDaemon();
  const executor = await seedExecutor(daemon);
  await executor.stream('m', 'I');
  await executor.ask('a', 'ls');
  const { body } = await executor.say('I will.', 'm');
  expect(body).toMatchObject({ type: 'text', content: 'I will.' });
});
