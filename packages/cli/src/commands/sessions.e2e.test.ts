import { expect, test } from 'vitest';
import { CliWorld } from '../testing/baton.ts';
import { operated } from '../testing/operated.ts';

const WAITS = [{ shell: 'true' }];

test('sessions are listed, archived and unarchived by id prefix', async () => {
  const { ok, baton, client, world } = await operated();
  const { session_id: id } = await client.sessions.create({
    cwd: world.cwd,
    backend: 'demo',
    title: 'The \u001b[31mfirst\none',
  });
  const list = await ok('sessions');
  expect(list.split('\n')[0]).toMatch(/^SESSION +NEWS +AGENT +FOLDER +TITLE$/);
  expect(list).toContain(id.slice(0, 8));
  expect(list).toContain('The first one');
  expect(list).not.toContain('\u001b');
  expect(JSON.parse(await ok('sessions', '--json'))).toMatchObject([{ session_id: id }]);
  expect(await ok('sessions', 'archive', id.slice(0, 6))).toContain('archived');
  expect(await ok('sessions')).toBe('No sessions.\n');
  expect(await ok('sessions', '--archived')).toContain(id.slice(0, 8));
  expect(await ok('sessions', 'unarchive', id)).toContain('unarchived');
  expect(await ok('sessions', '--archived')).toBe('No archived sessions.\n');
  expect(await baton('sessions', 'archive', 'zzz')).toMatchObject({ code: 4, stdout: '' });
});

test('a beginning that several ids have is an error that lists them', async () => {
  const { baton, client, world } = await operated();
  const ids = [];
  // The first of 17 that share their first character with another one.
  for (let n = 0; n < 17; n++) {
    const { session_id } = await client.sessions.create({ cwd: world.cwd, backend: 'demo' });
    ids.push(session_id);
  }
  const first = ids.map((id) => id[0] ?? '');
  const shared = first.find((each, index) => first.indexOf(each) !== index) ?? '';
  const meant = ids.filter((id) => id.startsWith(shared));
  const { code, stderr } = await baton('attach', shared);
  expect(code).toBe(2);
  expect(stderr).toContain(`"${shared}" is ambiguous.`);
  for (const id of meant.slice(0, 10)) expect(stderr).toContain(id);
});

test('tasks are listed by session and status; a prompt that waits is changed and cancelled', async () => {
  const { ok, baton, begin, ask, inbox, world } = await operated();
  const first = await begin(WAITS);
  await inbox();
  const second = await ask(first.session_id, 'demo:garbage');
  const short = second.task_id.slice(0, 8);
  const list = await ok('tasks', '--session', first.session_id.slice(0, 8));
  expect(list).toContain('awaiting permission');
  expect(list).toContain('queued');
  expect(await ok('tasks', '--status', 'queued')).not.toContain(first.task_id.slice(0, 8));
  expect(await ok('tasks', 'edit', short, 'Another', 'prompt')).toContain('updated');
  const file = JSON.parse(await ok('tasks', '--status', 'queued', '--json'));
  expect(file).toMatchObject([{ task_id: second.task_id, full_prompt: 'Another prompt' }]);
  const piped = await world.call({ args: ['tasks', 'edit', short, '-'], input: 'From a pipe' });
  expect(piped.code).toBe(0);
  expect(await ok('tasks', '--status', 'queued')).toContain('From a pipe');
  expect(await ok('tasks', 'cancel', short)).toContain('cancelled');
  const late = await baton('tasks', 'cancel', short);
  expect(late).toMatchObject({ code: 1, stdout: '' });
  expect(late.stderr).toContain('it is CANCELLED');
  expect(await baton('tasks', 'cancel', first.task_id)).toMatchObject({ code: 1 });
  expect(await baton('tasks', 'edit', first.task_id, 'Too late')).toMatchObject({ code: 1 });
  expect(await ok('tasks', '--limit', '1')).toContain('… and 1 more');
});

test.concurrent.each([
  [['sessions', 'frobnicate'], 'Unknown subcommand "sessions frobnicate".'],
  [['sessions', 'archive'], 'Missing session.'],
  [['sessions', 'archive', 'a', 'b'], 'Expected only one session'],
  [['tasks', 'frobnicate'], 'Unknown subcommand "tasks frobnicate".'],
  [['tasks', '--status', 'odd'], 'Unknown status "odd".'],
  [['tasks', 'edit'], 'Missing task id.'],
  [['tasks', 'edit', 'x'], 'Missing prompt.'],
  [['tasks', '--limit', 'x'], '--limit must be a number'],
  [['attach'], 'Missing session.'],
  [['attach', 'x', '--last', '-1'], 'looks like an option'],
  [['stop'], 'Missing task or session.'],
  [['logs'], 'Missing session or task.'],
  [['export'], 'Missing session.'],
  [['import'], 'Missing file.'],
  [['db'], 'Missing subcommand'],
  [['db', 'frobnicate'], 'Missing subcommand'],
  [['db', 'backup'], 'Missing file.'],
  [['answer', 'a', 'allow', 'b'], 'Unexpected argument "b".'],
])('baton %j is a mistake', async (args, words) => {
  const world = new CliWorld();
  const { code, stdout, stderr } = await world.call({ args });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(words);
});
