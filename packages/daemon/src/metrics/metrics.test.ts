import { expect, test, vi } from 'vitest';
import { testDaemon } from '../testing/test-daemon.ts';

test('a viewer can read the metrics of a daemon', async () => {
  const daemon = await testDaemon();
  const id = await daemon.session();
  await daemon.call('POST', `/sessions/${id}/executeTask`, { body: { prompt: 'Hi' } });
  await daemon.call('GET', '/sessions/nowhere');
  const { daemon: waited } = daemon;
  const waiting = daemon.call('GET', `/events?session_id=${id}&after=2&wait=30000`);
  const look = async () => {
    const reply = await daemon.call('GET', '/metrics', { as: daemon.tokens.viewer });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('Content-Type')).toContain('text/plain');
    return String(reply.body.text);
  };
  await vi.waitFor(async () => expect(await look()).toContain('baton_followers_waiting 1'));
  const text = await look();
  const count = (labels: string) => `baton_call_duration_seconds_count{${labels}} 1`;
  expect(text).toContain(count('service="sessions",method="create",status="ok"'));
  expect(text).toContain(count('service="sessions",method="get",status="not_found"'));
  expect(text).toContain('baton_events_appended_total 2');
  expect(text).toContain('baton_tasks{status="QUEUED"} 1');
  expect(text).toContain('baton_queue_length 1');
  expect(text).toContain('baton_executors 0');
  expect(text).toContain('baton_sockets 0');
  expect(text).toMatch(/baton_commit_duration_seconds_count [1-9]/);
  expect(text).toContain('process_resident_memory_bytes');
  const [task] = await waited.store.records.tasks.find();
  const stop = { task_id: task?.task_id };
  await daemon.call('POST', `/sessions/${id}/stopTask`, { body: stop });
  await waiting;
  expect(await look()).toContain('baton_tasks_ended_total{status="CANCELLED"} 1');
});

test('no one else can read them', async () => {
  const daemon = await testDaemon();
  expect((await daemon.call('GET', '/metrics', { as: '' })).status).toBe(401);
  const claims = { sessionId: 's', taskId: 't', executorId: 'e', fence: 1 };
  const as = await daemon.daemon.taskTokens.sign(claims);
  expect((await daemon.call('GET', '/metrics', { as })).status).toBe(403);
});
