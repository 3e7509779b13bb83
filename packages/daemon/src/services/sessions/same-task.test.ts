import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { testDaemon } from '../../testing/test-daemon.ts';

test('a prompt that is given once more with the same id is the same task', async () => {
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
