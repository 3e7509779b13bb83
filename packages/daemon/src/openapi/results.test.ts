import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { queuePrompt } from '../commands/queue-prompt.ts';
import { describeServices } from '../services/describe-services.ts';
import { testDaemon } from '../testing/test-daemon.ts';

const LISTS = await describeServices((services) =>
  services.flatMap(({ path, methods }) =>
    // Those that read the files of a session start processes; e2e/workspaces.test.ts has them.
    methods.find && !['changes', 'checkpoints', 'workspaces'].includes(path)
      ? [{ path, result: methods.find.result }]
      : [],
  ),
);

const NEED_SESSION = [
  'review-comments',
  'attachments',
  'events',
  'files',
  'messages',
  'transcript',
];

const REQUEST = {
  requestId: 'r',
  tool: 't',
  action: { type: 'other' },
  scopes: ['once'],
  cursor: 3,
};

/** Folder trust is stored in the home of the daemon's user. */
beforeEach(() => {
  const home = mkdtempSync(join(tmpdir(), 'baton-home-'));
  vi.stubEnv('HOME', home);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(home, { recursive: true });
  });
});

test.each(LISTS)('$path gives what the document says', async ({ path, result }) => {
  const daemon = await testDaemon();
  const { store } = daemon.daemon;
  const id = await daemon.session();
  const taskId = await queuePrompt(store, id, { prompt: 'Hi' });
  const executor = { executor_id: 'e', task_id: taskId, session_id: id, daemon_id: 'd', host: 'h' };
  const times = { started_at: 1, heartbeat_at: 1, progress_at: 1, ended_at: null };
  const place = { pid: 1, start_ticks: null, spool_folder: null };
  await store.records.executors.insert({ ...executor, ...times, ...place });
  await store.records.requests.insert({
    session_id: id,
    task_id: taskId,
    request_id: 'r',
    kind: 'permission',
    asked_at: 1,
    status: 'pending',
    request: JSON.stringify(REQUEST),
    answer: null,
    answered_by: null,
    answered_at: null,
    resolution: null,
  });
  const post = (service: string, body: object) => daemon.call('POST', service, { body });
  await post('/api-keys', { name: 'A_KEY', value: 'some value' });
  await post('/mcp-servers', { name: 'm', config: { command: 'x' } });
  const file = { session_id: id, name: 'n', media_type: 'text/plain', data: '' };
  await post('/attachments', file);
  const comment = {
    session_id: id,
    path: 'a',
    side: 'new',
    line: 1,
    end_line: 1,
    quote: 'a',
    text: 'b',
  };
  await post('/review-comments', { ...comment, tree: 'a'.repeat(40) });
  await post('/trusted-folders', { folder: tmpdir(), trusted: true });
  await post('/rules', { session_id: id, tool: 't', decision: 'deny' });
  const chainsFile = join(process.env.HOME ?? '', 'chains.json');
  writeFileSync(chainsFile, '{"agents": {}, "chains": {}}');
  const trusted = { hash: 'h', file: chainsFile, trusted_by: null, trusted_at: 1 };
  await store.records.trustedChains.insert(trusted);
  const run = { run_id: 'c', chain: 'c', file: chainsFile, file_hash: 'h', cwd: '/', inputs: '{}' };
  await store.chainRuns.create(
    { ...run, definition: '{"steps": []}', created_by: null },
    { type: 'chain.started', chain: 'c', inputs: {} },
  );
  const needsSession = NEED_SESSION.includes(path);
  const query = path === 'ids' ? `?prefix=${id}` : needsSession ? `?session_id=${id}` : '';
  const { status, body } = await daemon.call('GET', `/${path}${query}`);
  expect(status).toBe(200);
  const parsed = result?.safeParse(body);
  expect(parsed?.error?.issues).toBeUndefined();
  if (path === 'status' || path === 'news') return;
  const rows = Array.isArray(body) ? body : (body.data ?? body.events ?? body.entries);
  expect((rows as unknown[]).length).toBeGreaterThan(0);
});

const CALLS = [
  ['PATCH', '/backends/demo', 'backends', 'patch', { options: { maxTurns: 3 } }],
  ['POST', '/backends/demo/test', 'backends', 'test', {}],
  ['POST', '/trusted-folders/check', 'trusted-folders', 'check', { folder: '/', backend: 'demo' }],
  ['POST', '/transcript/changes', 'transcript', 'changes', { session_id: 'of the test' }],
] as const;

test.each(CALLS)('%s %s gives what the document says', async (verb, path, service, name, given) => {
  const result = await describeServices(
    (services) => services.find((each) => each.path === service)?.methods[name]?.result,
  );
  const daemon = await testDaemon();
  const id = await daemon.session();
  const body = 'session_id' in given ? { session_id: id } : given;
  const answer = await daemon.call(verb, path, { body });
  expect(answer.status).toBe(200);
  expect(result?.safeParse(answer.body)).toMatchObject({ success: true });
});
