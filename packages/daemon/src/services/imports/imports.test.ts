import { expect, test } from 'vitest';
import { testDaemon } from '../../testing/test-daemon.ts';

const created = {
  cursor: 1,
  time: 1,
  type: 'session.created',
  ...{ cwd: '/', backend: 'demo', permissionMode: 'ask', title: '' },
};
const queued = (taskId: string) => ({
  cursor: 2,
  time: 1,
  type: 'prompt.queued',
  ...{ taskId, prompt: 'Hi', backend: 'demo', permissionMode: 'ask' },
});

test.each(['../../etc/x', '/etc/x', 'a/b', '..', '.x', 'a b', 'a\0b', ''])(
  'an import with the id %j is refused',
  async (id) => {
    const daemon = await testDaemon();
    const ofSession = { session_id: id, events: [created], done: true };
    expect((await daemon.call('POST', '/imports', { body: ofSession })).status).toBe(400);
    const ofTask = { session_id: 's', events: [created, queued(id)], done: true };
    expect((await daemon.call('POST', '/imports', { body: ofTask })).status).toBe(400);
    expect((await daemon.call('GET', '/sessions')).body.total).toBe(0);
  },
);

test('accepts an import with plain ids', async () => {
  const daemon = await testDaemon();
  const body = { session_id: 'a-1_b.c', events: [created, queued('t.1')], done: true };
  expect((await daemon.call('POST', '/imports', { body })).status).toBe(201);
});
