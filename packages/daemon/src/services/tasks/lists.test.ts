import { expect, test } from 'vitest';
import { seedExecutor } from '../../testing/seed-executor.ts';
import { type TestDaemon, testDaemon } from '../../testing/test-daemon.ts';

async function prompted(daemon: TestDaemon, sessionId: string, body: object): Promise<string> {
  const { body: task } = await daemon.call('POST', `/sessions/${sessionId}/executeTask`, { body });
  return String(task.task_id);
}

test('tasks are filtered and include the session fields of a list', async () => {
  const daemon = await testDaemon();
  const [one, two] = [await daemon.session(), await daemon.session()];
  const a = await prompted(daemon, one, { prompt: 'Mend the door.' });
  const b = await prompted(daemon, two, { prompt: '窓を拭く', backend: 'codex' });
  await daemon.call('POST', `/sessions/${two}/stopTask`, { body: { task_id: b } });
  await daemon.call('PATCH', `/sessions/${two}`, { body: { archived: true } });
  const ids = async (query: Record<string, string> | string) => {
    const { status, body } = await daemon.call('GET', `/tasks?${new URLSearchParams(query)}`);
    expect(status).toBe(200);
    return (body.data as { task_id: string }[]).map(({ task_id }) => task_id);
  };
  expect(await ids({})).toEqual([b, a]);
  expect(await ids({ sort: 'oldest' })).toEqual([a, b]);
  expect(await ids({ search: 'DOOR' })).toEqual([a]);
  expect(await ids({ search: '拭' })).toEqual([b]);
  expect(await ids({ backend: 'codex-cli' })).toEqual([b]);
  expect(await ids({ archived: 'false' })).toEqual([a]);
  expect(await ids({ archived: 'true' })).toEqual([b]);
  expect(await ids({ cwd: '/tmp', session_id: one })).toEqual([a]);
  expect(await ids('status=QUEUED&status=CANCELLED')).toEqual([b, a]);
  expect(await ids({ status: 'FAILED' })).toEqual([]);
  const { body } = await daemon.call('GET', '/tasks?search=door');
  expect(body).toMatchObject({
    total: 1,
    data: [{ session_title: 'Mend the door.', cwd: '/tmp', archived: false, cost_usd: null }],
  });
  expect(await daemon.call('GET', '/tasks?sort=best')).toMatchObject({ status: 400 });
});

test('sessions are found by title and folder, and show what is pending', async () => {
  const daemon = await testDaemon();
  const [one, two] = [await daemon.session(), await daemon.session()];
  await prompted(daemon, one, { prompt: 'Mend the door.' });
  const found = async (query: Record<string, string>) => {
    const { body } = await daemon.call('GET', `/sessions?${new URLSearchParams(query)}`);
    return body;
  };
  expect(await found({ search: 'DOOR' })).toMatchObject({
    total: 1,
    data: [{ session_id: one, open_tasks: 1, pending_requests: 0, last_task_status: 'QUEUED' }],
  });
  expect(await found({ search: '/TMP' })).toMatchObject({ total: 2 });
  expect(await found({ backend: 'claude' })).toMatchObject({ total: 0 });
  const { body: member } = await daemon.call('GET', '/users/me', { as: daemon.tokens.member });
  const { body: owner } = await daemon.call('GET', '/users/me');
  expect(await found({ created_by: String(member.user_id) })).toMatchObject({ total: 0 });
  expect(await found({ created_by: String(owner.user_id) })).toMatchObject({ total: 2 });
  await daemon.call('PATCH', `/sessions/${two}`, { body: { archived: true } });
  expect(await found({ archived: 'true' })).toMatchObject({
    data: [{ session_id: two, open_tasks: 0, last_task_status: null }],
  });
});

test('a list truncates long texts, also for clients that do not ask for that', async () => {
  const daemon = await testDaemon();
  const session_id = await daemon.session();
  const prompt = `Begin ${'x'.repeat(5000)}`;
  await prompted(daemon, session_id, { prompt });
  const prompts = async (query: string) => {
    const { body } = await daemon.call('GET', `/tasks?session_id=${session_id}${query}`);
    return (body.data as { full_prompt: string }[]).map(({ full_prompt }) => full_prompt);
  };
  expect(await prompts('')).toEqual([prompt.slice(0, 1000)]);
  expect(await prompts('&brief=true')).toEqual([prompt.slice(0, 1000)]);
});

test('the latest activity of a running agent is part of its task', async () => {
  const daemon = await testDaemon();
  const executor = await seedExecutor(daemon);
  await executor.say('I look for the door.');
  await prompted(daemon, executor.sessionId, { prompt: 'Then the window.' });
  const progress = async () => {
    const { body } = await daemon.call('GET', '/tasks?brief=true&sort=oldest');
    return (body.data as { progress: string | null }[]).map((task) => task.progress);
  };
  expect(await progress()).toEqual(['I look for the door.', null]);
  await executor.ask('a', 'ls');
  expect(await progress()).toEqual(['Asks: $ ls', null]);
  // What it waits for counts, whatever else it says meanwhile.
  await executor.say('Noted: hurry up.');
  expect(await progress()).toEqual(['Asks: $ ls', null]);
  await executor.end('COMPLETED');
  expect(await progress()).toEqual([null, null]);
});

test('a task has the branch and the change of its session, with paths while it runs', async () => {
  const daemon = await testDaemon();
  const executor = await seedExecutor(daemon);
  const listed = async () => (await daemon.call('GET', '/tasks')).body.data;
  const unknown = { host: null, repository: null, branch: null, changes: null };
  expect(await listed()).toMatchObject([unknown]);
  const place = { host: 'h', repository: '/r', path: '/w', branch: 'baton/x' };
  const changes = { files: 1, additions: 12, deletions: 3, paths: ['a.txt'] };
  const report = (kind: string) =>
    daemon.daemon.store.records.sessions.update(
      { session_id: executor.sessionId },
      {
        workspace: JSON.stringify({ ...place, kind }),
        changes: JSON.stringify(changes),
      },
    );
  await report('worktree');
  const known = { host: 'h', repository: '/r', branch: 'baton/x', changes };
  expect(await listed()).toMatchObject([known]);
  await report('in_place');
  expect(await listed()).toMatchObject([{ ...known, branch: null }]);
  await executor.end('COMPLETED');
  expect(await listed()).toMatchObject([{ changes: { ...changes, paths: [] } }]);
});
