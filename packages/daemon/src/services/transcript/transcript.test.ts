import { type Entry, foldTranscript, nextEntry } from '@baton/protocol';
import { expect, test } from 'vitest';
import { seedExecutor } from '../../testing/seed-executor.ts';
import { testDaemon } from '../../testing/test-daemon.ts';

type Page = { entries: Entry[]; changing: Entry[]; cursor: number };

test('a session is returned from its end, page by page, with entries that may still change', async () => {
  const daemon = await testDaemon();
  const executor = await seedExecutor(daemon);
  const { sessionId } = executor;
  await executor.stream('m', 'I will');
  await executor.ask('a', 'ls');
  for (let index = 0; index < 6; index += 1) await executor.say(`Line ${index}`);
  const page = async (more = '') => {
    const { body } = await daemon.call('GET', `/transcript?session_id=${sessionId}&limit=4${more}`);
    return body as unknown as Page;
  };
  const last = await page();
  expect(last.entries.map((entry) => entry.kind === 'text' && entry.text)).toEqual([
    'Line 2',
    'Line 3',
    'Line 4',
    'Line 5',
  ]);
  // The prompt of a task that has not ended, the text that is still being said, what waits for an answer.
  const kinds = last.changing.map(({ kind }) => kind);
  expect(kinds).toEqual(['prompt', 'text', 'permission']);
  const before = await page(`&before=${last.entries[0]?.cursor}`);
  const { events } = await daemon.daemon.store.log.read(sessionId, 0, 1000);
  const all = foldTranscript(events);
  expect([...before.entries, ...last.entries]).toEqual(all.slice(-8));

  // What comes behind its cursor goes on with it.
  await executor.stream('m', ' do it.');
  const { events: more } = await daemon.daemon.store.log.read(sessionId, last.cursor, 1000);
  const open = last.changing.find(({ kind }) => kind === 'text');
  const grown = more.reduce<Entry | undefined>((entry, event) => nextEntry(entry, event), open);
  expect(grown).toMatchObject({ kind: 'text', cursor: open?.cursor });
});

test('a session that is not there has no transcript', async () => {
  const daemon = await testDaemon();
  const { status, body } = await daemon.call('GET', '/transcript?session_id=none');
  expect(status).toBe(404);
  expect(body).toMatchObject({ message: 'Session "none" not found.' });
});

test('the changes of a session are listed by file, for users with access', async () => {
  const daemon = await testDaemon();
  const executor = await seedExecutor(daemon);
  const { sessionId: session_id, taskId: task_id } = executor;
  const action = { type: 'file.edit', changes: [{ path: '/tmp/a', kind: 'add', diff: 'x\ny\n' }] };
  const tool = { callId: 'c', name: 'write', action, outcome: 'ok' };
  const of = { runId: 'r', time: 1 };
  await executor.call('POST', '/messages/append', {
    events: [
      { ...of, seq: 1, type: 'run.started', backend: 'demo', transport: 'live', cwd: '/tmp' },
      { ...of, seq: 2, type: 'tool.started', callId: 'c', name: 'write', action },
      { ...of, seq: 3, type: 'tool.completed', ...tool },
    ],
  });
  const as = daemon.tokens.viewer;
  const { status, body } = await daemon.call('POST', '/transcript/changes', {
    body: { session_id },
    as,
  });
  expect(status).toBe(200);
  const change = { cursor: 5, task_id, kind: 'add', added: 2, removed: 0, cut: false };
  const file = { path: 'a', old_path: null, kind: 'add', added: 2, removed: 0 };
  expect(body).toEqual({
    files: [{ ...file, changes: [{ ...change, diff: 'x\ny\n' }] }],
    cursor: expect.any(Number),
  });
  const { body: brief } = await daemon.call('POST', '/transcript/changes', {
    body: { session_id, brief: true },
  });
  expect(brief.files).toEqual([{ ...file, changes: [] }]);
  const nowhere = { body: { session_id: 'none' } };
  expect(await daemon.call('POST', '/transcript/changes', nowhere)).toMatchObject({ status: 404 });
});
