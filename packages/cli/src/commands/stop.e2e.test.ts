import { expect, test } from 'vitest';
import { operated } from '../testing/operated.ts';

test('stopping a task waits until nothing of it is left', async () => {
  const { ok, baton, begin, has, client } = await operated();
  const task = await begin([{ shell: 'sleep 60' }], { permission_mode: 'allow-all' });
  await has(task, 'tool');
  const said = await ok('stop', task.task_id.slice(0, 8), '--reason', 'Enough');
  expect(said).toContain('stopped; no processes left');
  expect(await client.tasks.get(task.task_id)).toMatchObject({ status: 'CANCELLED' });
  expect(await ok('logs', task.task_id)).toContain('# stop: Enough');
  const again = await ok('stop', task.task_id);
  expect(again).toContain('had already ended: cancelled');
  expect(await baton('stop', 'unknown')).toMatchObject({ code: 4, stdout: '' });
});

test('stopping a session also cancels its queued tasks, so nothing starts', async () => {
  const { ok, begin, ask, has, client } = await operated();
  const task = await begin('demo:stall');
  await has(task, 'text');
  const { session_id } = task;
  const waiting = [await ask(session_id, 'demo:garbage'), await ask(session_id, 'demo:garbage')];
  const ends = JSON.parse(await ok('stop', session_id, '--json'));
  expect(ends.map(({ end }: { end: string }) => end)).toEqual([
    'cancelled',
    'cancelled',
    'stopped',
  ]);
  for (const { task_id } of [task, ...waiting]) {
    expect(await client.tasks.get(task_id)).toMatchObject({ status: 'CANCELLED' });
  }
  const { data } = await client.messages.find({ session_id });
  expect(data.filter(({ type }) => type === 'text')).toHaveLength(1);
  expect(await ok('stop', session_id)).toContain('No running tasks in session');
});

test('--no-wait does not wait', async () => {
  const { ok, begin, has, ended } = await operated();
  const task = await begin('demo:stubborn');
  await has(task, 'text');
  expect(await ok('stop', task.task_id, '--no-wait')).toContain('is stopping');
  expect(await ended(task)).toMatchObject({ status: 'CANCELLED' });
});
