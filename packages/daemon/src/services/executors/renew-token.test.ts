import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { TaskClaims } from '../../security/task-token.ts';
import { expiredTokenFor, heldTask } from '../../testing/expired-token.ts';
import { type Reply, type TestDaemon, testDaemon } from '../../testing/test-daemon.ts';

let folder: string;
let daemon: TestDaemon;
let claims: TaskClaims;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'baton-renew-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  daemon = await testDaemon({ folder });
  claims = await heldTask(daemon.daemon);
});

const renew = (as: string): Promise<Reply> =>
  daemon.call('POST', '/executors/renewToken', { as, body: {} });

test('an expired token is exchanged for one for the same task, executor and fence', async () => {
  const { status, body } = await renew(await expiredTokenFor(claims, folder));
  expect(status).toBe(200);
  expect(await daemon.daemon.taskTokens.verify(String(body.token))).toEqual(claims);
  const events = [
    { type: 'unparsed', source: 'stdout', line: 'x', seq: 1, time: 1, runId: claims.taskId },
  ];
  const append = { as: String(body.token), body: { events } };
  expect((await daemon.call('POST', '/messages/append', append)).body).toEqual({ last_seq: 1 });
});

test('an expired token does nothing else, and its error says what to do', async () => {
  const as = await expiredTokenFor(claims, folder);
  for (const [verb, path, body] of [
    ['POST', '/messages/append', { events: [] }],
    ['POST', '/executors/heartbeat', { idle_ms: 0 }],
    ['POST', '/executors', { host: 'h', pid: 1 }],
    ['PATCH', `/tasks/${claims.taskId}`, { status: 'COMPLETED' }],
    ['GET', `/tasks/${claims.taskId}`, undefined],
    ['GET', `/sessions/${claims.sessionId}`, undefined],
    ['GET', `/events?session_id=${claims.sessionId}`, undefined],
  ] as const) {
    const { status, body: shown } = await daemon.call(verb, path, { as, body });
    expect([path, status]).toEqual([path, 401]);
    expect(shown.data).toMatchObject({ hint: expect.stringContaining('renewToken') });
  }
  expect(await daemon.daemon.store.records.tasks.get(claims.taskId)).toMatchObject({
    status: 'RUNNING',
  });
});

test.each<[string, (claims: TaskClaims) => Partial<TaskClaims>]>([
  ['another fence', ({ fence }) => ({ fence: fence + 1 })],
  ['another executor', () => ({ executorId: 'another' })],
  ['another task', () => ({ taskId: 'another' })],
])('an expired token for %s is not exchanged', async (_what, other) => {
  const token = await expiredTokenFor({ ...claims, ...other(claims) }, folder);
  expect((await renew(token)).status).toBe(401);
});

test('an expired token is not exchanged once the task has ended', async () => {
  const token = await expiredTokenFor(claims, folder);
  const good = await daemon.daemon.taskTokens.sign(claims);
  const end = { as: good, body: { status: 'COMPLETED' } };
  expect((await daemon.call('PATCH', `/tasks/${claims.taskId}`, end)).status).toBe(200);
  expect((await renew(token)).status).toBe(401);
});

test('a token of another key is not exchanged', async () => {
  const other = mkdtempSync(join(tmpdir(), 'baton-other-'));
  onTestFinished(() => rmSync(other, { recursive: true }));
  expect((await renew(await expiredTokenFor(claims, other))).status).toBe(401);
});
