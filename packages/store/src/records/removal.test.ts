import { expect, test } from 'vitest';
import type { Store } from '../open-store.ts';
import { onBothEngines } from '../testing/engines.ts';
import { claimNext, DONE, newSession, queuePrompt, STARTED, TestRun } from '../testing/session.ts';

async function archive(store: Store, sessionId: string): Promise<void> {
  await store.log.append(sessionId, () => ({
    drafts: [{ type: 'session.changed', changes: { archived: true } }],
    result: undefined,
  }));
}

/** A session with something in every table that can name it. */
async function fullSession(store: Store): Promise<{ sessionId: string; taskId: string }> {
  const sessionId = await newSession(store);
  const taskId = await queuePrompt(store, sessionId);
  const claim = await claimNext(store, taskId);
  if (!claim) throw new Error('unreachable');
  const action = { type: 'command' as const, command: 'ls' };
  await new TestRun(store, claim).say(
    STARTED,
    { type: 'permission.requested', requestId: 'r', tool: 'Bash', action, scopes: ['once'] },
    DONE,
  );
  await store.rawOutput.append(taskId, {
    bytes: Buffer.from('printed'),
    offset: 0,
    maxBytes: 100,
  });
  await store.records.attachments.insert({
    attachment_id: `a of ${sessionId}`,
    session_id: sessionId,
    name: 'n',
    media_type: 'text/plain',
    bytes: 1,
    body: Buffer.from('x'),
    created_by: null,
    created_at: 1,
  });
  await store.records.rules.insert({
    rule_id: `r of ${sessionId}`,
    session_id: sessionId,
    folder: null,
    tool: 'Bash',
    pattern: null,
    decision: 'allow',
    created_by: null,
    created_at: 1,
  });
  return { sessionId, taskId };
}

async function leftOf(store: Store, sessionId: string, taskId: string): Promise<object> {
  const where = { session_id: sessionId };
  const { sessions, tasks, requests, rules } = store.records;
  const printed = (await store.rawOutput.read(taskId, 0, 100)).length;
  return {
    sessions: await sessions.count(where),
    tasks: await tasks.count(where),
    requests: await requests.count(where),
    rules: await rules.count(where),
    attachments: (await store.attachments(sessionId)).length,
    events: (await store.log.read(sessionId, 0, 100)).events.length,
    entries: (await store.entries(sessionId, { limit: 100 })).length,
    printed,
  };
}

const NOTHING = {
  sessions: 0,
  tasks: 0,
  requests: 0,
  rules: 0,
  attachments: 0,
  events: 0,
  entries: 0,
  printed: 0,
};

onBothEngines('the removal', (engine) => {
  test('of an archived session leaves nothing of it, and everything of others', async () => {
    let time = 1000;
    const store = await engine.open({ now: () => time });
    const old = await fullSession(store);
    const kept = await fullSession(store);
    await archive(store, old.sessionId);
    const before = await leftOf(store, kept.sessionId, kept.taskId);
    time = 5000;
    expect(await store.removal.archivedBefore(3000)).toBe(1);
    expect(await leftOf(store, old.sessionId, old.taskId)).toEqual(NOTHING);
    expect(await leftOf(store, kept.sessionId, kept.taskId)).toEqual(before);
    const late = queuePrompt(store, old.sessionId);
    await expect(late).rejects.toMatchObject({ code: 'not_found' });
  });

  test('spares sessions with news, and those with a task that has not ended', async () => {
    let time = 1000;
    const store = await engine.open({ now: () => time });
    const busy = await newSession(store);
    await queuePrompt(store, busy);
    await archive(store, busy);
    const fresh = await newSession(store);
    time = 5000;
    await archive(store, fresh);
    expect(await store.removal.archivedBefore(3000)).toBe(0);
    expect(await store.records.sessions.count()).toBe(2);
  });

  test('deletes tokens, executors and daemons that are no longer used', async () => {
    const { records, removal } = await engine.open();
    const token = (id: string, expires_at: number | null, revoked_at: number | null) =>
      records.tokens.insert({
        token_id: id,
        user_id: 'u',
        name: id,
        kind: 'api',
        hash: id,
        scopes: '[]',
        created_at: 1,
        expires_at,
        last_used_at: null,
        revoked_at,
      });
    await token('expired', 10, null);
    await token('revoked', null, 10);
    await token('good', null, null);
    await token('still good', 200, null);
    expect(await removal.tokensBefore(100)).toBe(2);
    expect((await records.tokens.find()).map(({ name }) => name)).toEqual(['good', 'still good']);
    const owner = { task_id: 't', session_id: 's', daemon_id: 'd', host: 'h' };
    const executor = { ...owner, pid: 1, start_ticks: null, spool_folder: null };
    const times = { started_at: 1, heartbeat_at: 1, progress_at: 1 };
    await records.executors.insert({ ...executor, ...times, executor_id: 'a', ended_at: 10 });
    await records.executors.insert({ ...executor, ...times, executor_id: 'b', ended_at: null });
    expect(await removal.executorsBefore(100)).toBe(1);
    expect(await records.executors.count()).toBe(1);
    const daemon = { host: 'h', url: 'u', version: '1', slots: 1, started_at: 1 };
    await records.daemons.insert({ ...daemon, daemon_id: 'gone', heartbeat_at: 10 });
    await records.daemons.insert({ ...daemon, daemon_id: 'there', heartbeat_at: 200 });
    expect(await removal.daemonsBefore(100)).toBe(1);
    expect(await records.daemons.get('there')).toBeDefined();
  });
});
