import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { BatonClient } from '@baton/client';
import type { LogEvent } from '@baton/protocol';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isRunning } from '../packages/cli/src/testing/baton.ts';
import { login, serveIn } from '../packages/cli/src/testing/served.ts';

const MYNAH = resolve(import.meta.dirname, '../examples/own-agent/mynah.mjs');

/** Prints an event that does not have its shape, and goes on when the file `go` is there. */
const CARELESS = [
  printing({ seq: 1, type: 'run.started', backend: 'x', transport: 'print', cwd: '/' }),
  printing({ seq: 2, type: 'tool.started', callId: 'c', name: 'n', action: { type: 7 } }),
  'while [ ! -e go ]; do sleep 0.05; done',
  printing({ seq: 3, type: 'tool.completed', callId: 'c', outcome: 'ok' }),
  printing({ seq: 4, type: 'run.completed', outcome: 'done', output: 'Done.', durationMs: 1 }),
].join('\n');

function printing(event: object): string {
  return `echo '${JSON.stringify({ time: 1, runId: 'r', ...event })}'`;
}

/** A daemon whose user has an agent in the configuration, and one with a mistake. */
async function world() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'baton-own-')));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  const cwd = join(home, 'workspace');
  mkdirSync(cwd);
  mkdirSync(join(home, '.baton'));
  const mynah = {
    label: 'Mynah',
    command: [process.execPath, MYNAH],
    dialect: 'claude-stream-json',
    resume: '--resume {session}',
  };
  const careless = {
    label: 'Careless',
    command: ['sh', '-c', CARELESS],
    dialect: 'baton-json',
  };
  const agents = { mynah, careless, broken: { ...mynah, dialect: 'json' } };
  writeFileSync(join(home, '.baton/config.json'), JSON.stringify({ agents }));
  const served = await serveIn(join(home, 'state'), 0, [], { HOME: home });
  const client = new BatonClient({ url: served.url, token: await login(served) });
  onTestFinished(() => client.close());
  return { cwd, client };
}

async function until(
  client: BatonClient,
  sessionId: string,
  isIt: (event: LogEvent) => boolean,
): Promise<LogEvent> {
  for await (const event of client.follow(sessionId)) if (isIt(event)) return event;
  throw new Error('unreachable');
}

const isEndOf = (taskId: string) => (event: LogEvent) =>
  event.type === 'run.completed' && event.taskId === taskId;

test('an agent of the configuration runs through a daemon, resumes, and is stopped', async () => {
  const { cwd, client } = await world();
  const { session_id } = await client.sessions.create({ cwd, backend: 'mynah' });
  const start = (prompt: string) =>
    client.sessions.executeTask(session_id, { prompt, permission_mode: 'allow-all' });

  const first = await start('Hello');
  expect(await until(client, session_id, isEndOf(first.task_id))).toMatchObject({
    outcome: 'done',
    output: 'You said: Hello',
  });
  const second = await start('Again');
  expect(await until(client, session_id, isEndOf(second.task_id))).toMatchObject({
    output: 'You said: Hello, then: Again',
  });
  const tasks = [await client.tasks.get(first.task_id), await client.tasks.get(second.task_id)];
  expect(tasks[1]?.native_session_id).toBe(tasks[0]?.native_session_id);

  const third = await start('run: echo $$ > pid; exec sleep 600');
  const pid = await vi.waitFor(
    () => {
      const text = readFileSync(join(cwd, 'pid'), 'utf8').trim();
      if (!isRunning(text)) throw new Error('The command does not run yet.');
      return text;
    },
    { timeout: 20_000 },
  );
  await client.sessions.stopTask(session_id, { task_id: third.task_id });
  expect(await until(client, session_id, isEndOf(third.task_id))).toMatchObject({
    outcome: 'cancelled',
    stop: { state: 'stopped' },
  });
  expect(isRunning(pid)).toBe(false);
});

test('an agent of the configuration is listed by a daemon with honest capabilities', async () => {
  const { client } = await world();
  const data = await client.backends.find();
  const listed = data.find(({ id }) => id === 'mynah');
  expect(listed).toMatchObject({ label: 'Mynah' });
  expect(listed?.capabilities).toMatchObject({
    permissions: 'none',
    permissionModes: ['allow-all'],
    features: { resume: true, permissions: false, cost: false },
  });
  expect(data.some(({ id }) => id === 'broken')).toBe(false);
  expect(data.some(({ id }) => id === 'demo')).toBe(true);
});

test('an event that does not have its shape is kept, and the task goes on', async () => {
  const { cwd, client } = await world();
  const { session_id } = await client.sessions.create({ cwd, backend: 'careless' });
  const { task_id } = await client.sessions.executeTask(session_id, {
    prompt: 'Hello',
    permission_mode: 'allow-all',
  });
  const seen: LogEvent[] = [];
  const end = await until(client, session_id, (event) => {
    seen.push(event);
    if (event.type === 'notice') writeFileSync(join(cwd, 'go'), '');
    return isEndOf(task_id)(event) || event.type === 'task.lost';
  });
  expect(end).toMatchObject({ type: 'run.completed', outcome: 'done', output: 'Done.' });
  expect(seen).toContainEqual(
    expect.objectContaining({ type: 'unparsed', line: expect.stringContaining('"type":7') }),
  );
  expect(seen).toContainEqual(
    expect.objectContaining({
      type: 'notice',
      message: expect.stringContaining('is invalid: action'),
    }),
  );
});
