import { expect, test } from 'vitest';
import { seedExecutor } from '../../testing/seed-executor.ts';
import { testDaemon } from '../../testing/test-daemon.ts';

test('members answer for always with exactly the same again, and only owners with a pattern', async () => {
  const daemon = await testDaemon();
  const executor = await seedExecutor(daemon);
  for (const id of ['a', 'b', 'c']) await executor.ask(id, `echo ${id}`);
  const answer = async (request_id: string, as: string, more: object) => {
    const place = { session_id: executor.sessionId, task_id: executor.taskId, request_id };
    const body = { ...place, ...more };
    return (await daemon.call('POST', '/permissions/answer', { as, body })).status;
  };
  const always = { answer: { decision: 'allow', scope: 'always' } };
  const { member, owner } = daemon.tokens;
  const forSession = { answer: { decision: 'allow', scope: 'session' }, pattern: 'echo b*' };
  expect(await answer('a', member, { ...always, pattern: '*' })).toBe(403);
  expect((await daemon.call('GET', '/rules')).body.total).toBe(0);
  expect(await answer('a', member, always)).toBe(200);
  expect(await answer('b', member, forSession)).toBe(200);
  expect(await answer('c', owner, { ...always, pattern: 'echo *' })).toBe(200);
  const rules = (await daemon.call('GET', '/rules')).body.data as object[];
  expect(rules).toHaveLength(3);
  expect(rules).toContainEqual(expect.objectContaining({ folder: '/tmp', pattern: 'echo a' }));
  expect(rules).toContainEqual(expect.objectContaining({ folder: null, pattern: 'echo b*' }));
  expect(rules).toContainEqual(expect.objectContaining({ folder: '/tmp', pattern: 'echo *' }));
});
