import { expect, test, vi } from 'vitest';
import { operated } from '../testing/operated.ts';

test('a stop pauses the queue, and "queue resume" resumes it', async () => {
  const { ok, baton, begin, ask, has, ended, client } = await operated();
  const task = await begin('demo:stall');
  await has(task, 'text');
  const { session_id } = task;
  const next = await ask(session_id, 'demo:script [{"say":"Next."}]');
  await ok('stop', task.task_id);
  expect(await client.sessions.get(session_id)).toMatchObject({ queue_paused: true });
  expect(await ok('queue', session_id)).toContain(`baton queue resume ${session_id.slice(0, 8)}`);
  expect(JSON.parse(await ok('queue', session_id, '--json'))).toMatchObject({
    queue_paused: true,
    tasks: [{ task_id: next.task_id, status: 'QUEUED' }],
  });
  expect(await ok('queue', 'resume', session_id)).toContain('Resumed the queue');
  expect(await ended(next)).toMatchObject({ status: 'COMPLETED', output: 'Next.' });
  expect(await ok('queue', 'resume', session_id)).toContain('is not paused');
  expect(await ok('queue', session_id)).toContain('No tasks are queued');
  expect(await baton('queue')).toMatchObject({ code: 2 });
});

test('"queue clear" cancels the queued tasks, and a stopped task can be retried', async () => {
  const { ok, begin, ask, has, client } = await operated();
  const task = await begin('demo:stall');
  await has(task, 'text');
  const { session_id, task_id: taskId } = task;
  const next = await ask(session_id, 'demo:garbage');
  await ok('stop', taskId);
  expect(await ok('queue', 'clear', session_id)).toContain('Cancelled 1 queued task');
  expect(await client.tasks.get(next.task_id)).toMatchObject({ status: 'CANCELLED' });
  expect(await client.sessions.get(session_id)).toMatchObject({ queue_paused: false });
  const again = await client.sessions.retryTask(session_id, { task_id: taskId });
  expect(again).toMatchObject({ full_prompt: task.full_prompt });
  await has(again, 'text');
  await ok('stop', again.task_id);
});

test('a run behind a paused queue says why it waits', async () => {
  const { ok, baton, begin, ask, has, client } = await operated();
  const task = await begin('demo:stall');
  await has(task, 'text');
  const { session_id } = task;
  await ask(session_id, 'demo:garbage');
  await ok('stop', task.task_id);
  const run = baton('run', '--session', session_id, 'Hi');
  await vi.waitFor(async () => {
    const { total } = await client.tasks.find({ session_id, status: 'QUEUED' });
    expect(total).toBe(2);
  }, 20_000);
  await client.sessions.clearQueue(session_id);
  expect((await run).stderr).toContain(`baton queue resume ${session_id.slice(0, 8)}`);
});
