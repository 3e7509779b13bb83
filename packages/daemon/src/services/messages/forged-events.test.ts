import { describe, expect, test } from 'vitest';
import { FORGERIES } from '../../testing/forged-events.ts';
import { type SeedExecutor, seedExecutor } from '../../testing/seed-executor.ts';
import { type TestDaemon, testDaemon } from '../../testing/test-daemon.ts';

type Attack = { daemon: TestDaemon; executor: SeedExecutor; lines: string[] };

/** An executor whose agent waits for permission, and what the daemon logs. */
async function attack(): Promise<Attack> {
  const lines: string[] = [];
  const logTo = { write: (line: string) => void lines.push(line) };
  const daemon = await testDaemon({ logLevel: 'warn', logTo });
  const executor = await seedExecutor(daemon);
  await executor.ask('r', 'rm -rf /');
  return { daemon, executor, lines };
}

/** Everything that an attacker would want to change. */
async function stateOf({ daemon, executor }: Attack): Promise<unknown> {
  const { sessionId, taskId } = executor;
  const { records, log } = daemon.daemon.store;
  return {
    events: (await log.read(sessionId, 0, 100)).events,
    session: await records.sessions.get(sessionId),
    task: await records.tasks.get(taskId),
    requests: await records.requests.find({ where: { session_id: sessionId } }),
  };
}

async function ownerId({ daemon }: Attack): Promise<string> {
  return String((await daemon.call('GET', '/users/me')).body.user_id);
}

describe('a task token cannot report', () => {
  test.each(FORGERIES.map((each) => [each.what, each.event] as const))('%s', async (_, event) => {
    const under = await attack();
    const { executor, lines } = under;
    const before = await stateOf(under);
    const forged = event({ taskId: executor.taskId, ownerId: await ownerId(under) });
    const envelope = { seq: 2, time: 1, runId: executor.taskId };
    const events = [{ ...envelope, ...forged }];
    const { status, body } = await executor.call('POST', '/messages/append', { events });
    expect({ status, code: (body.data as { code?: string }).code }).toEqual({
      status: 403,
      code: 'forbidden',
    });
    expect(await stateOf(under)).toEqual(before);
    const warnings = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 40);
    expect(warnings).toEqual([expect.objectContaining({ taskId: executor.taskId })]);
  });
});

test('one forged event refuses the whole report, and the executor can report on', async () => {
  const under = await attack();
  const { executor, daemon } = under;
  const said = (seq: number) => ({
    ...{ type: 'unparsed', source: 'stdout', line: `line ${seq}`, seq, time: 1 },
    ...{ runId: executor.taskId },
  });
  const forged = { ...said(3), type: 'stop.requested', taskId: executor.taskId };
  const report = (events: object[]) => executor.call('POST', '/messages/append', { events });
  expect((await report([said(2), forged])).status).toBe(403);
  expect((await report([said(2), said(3)])).body).toEqual({ last_seq: 3 });
  const { events } = await daemon.daemon.store.log.read(executor.sessionId, 0, 100);
  expect(events.filter(({ type }) => type === 'unparsed')).toHaveLength(2);
});

test('an event that does not have its shape is a usage error', async () => {
  const { executor } = await attack();
  const events = [{ seq: 2, time: 1, runId: 'r', type: 'message.delta' }];
  const { status, body } = await executor.call('POST', '/messages/append', { events });
  expect(status).toBe(400);
  expect(body.message).toContain('message.delta');
});
