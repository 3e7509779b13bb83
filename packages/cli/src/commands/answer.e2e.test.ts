import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PendingRecord } from '@baton/client';
import { expect, test, vi } from 'vitest';
import { operated } from '../testing/operated.ts';

const write = (path: string) => ({ write: { path, content: 'by the agent\n' } });
const TEA = { question: { question: 'Tea or coffee?', options: ['Tea', 'Coffee'] } };

/** Returns the name that the list shows for a request. */
const nameOf = (request: PendingRecord | undefined) =>
  `${request?.task_id.slice(0, 8)}:${request?.request_id}`;

test('lists pending requests of all sessions with the ids to pass', async () => {
  const { ok, begin, inbox, ended, world } = await operated();
  expect(await ok('answer')).toBe('No pending requests.\n');
  const first = await begin([write('one.txt')]);
  const second = await begin([write('two.txt'), { say: 'Fine.' }]);
  const waiting = await inbox(2);
  const list = await ok('answer');
  expect(list).toContain('Edit one.txt');
  expect(list).toContain('Edit two.txt');
  expect(JSON.parse(await ok('answer', '--json'))).toHaveLength(2);
  const names = [first, second].map(({ task_id }) =>
    nameOf(waiting.find((request) => request.task_id === task_id)),
  );
  for (const name of names) expect(list).toContain(name);
  expect(await ok('answer', names[0] ?? '', 'allow')).toContain('gets your answer');
  await ok('answer', names[1] ?? '', 'deny', '--reason', 'Not on a Friday');
  expect(await ended(first)).toMatchObject({ status: 'COMPLETED' });
  expect(await ended(second)).toMatchObject({ status: 'COMPLETED' });
  expect(existsSync(join(world.cwd, 'one.txt'))).toBe(true);
  expect(existsSync(join(world.cwd, 'two.txt'))).toBe(false);
  expect(await ok('logs', second.task_id)).toContain('deny (person): Not on a Friday');
});

test('a question is answered with a number, a label or text, or declined', async () => {
  const { ok, baton, begin, inbox, ended } = await operated();
  const answers: [string[], string][] = [
    [['--choose', '2'], 'You chose: Coffee.'],
    [['--choose', 'tea'], 'You chose: Tea.'],
    [['--choose', 'Water'], 'You chose: Water.'],
    [['deny'], 'You did not answer, so I continue.'],
  ];
  for (const [args, words] of answers) {
    const task = await begin([TEA]);
    const [request] = await inbox();
    await ok('answer', nameOf(request), ...args);
    expect((await ended(task)).output).toContain(words);
  }
  await begin([TEA]);
  const [request] = await inbox();
  for (const args of [['allow'], [], ['--choose', '1', '--choose', '2']]) {
    const { code, stderr } = await baton('answer', nameOf(request), ...args);
    expect(code).toBe(2);
    expect(stderr).toContain('Tea or coffee? (1 Tea, 2 Coffee)');
  }
});

test('a late answer is reported and has no effect', async () => {
  const { baton, ok, begin, inbox, ended, world } = await operated();
  const task = await begin([write('one.txt')]);
  const [request] = await inbox();
  const id = request?.request_id ?? '';
  await ok('answer', id, 'deny');
  await ended(task);
  for (const name of [id, `${task.task_id.slice(0, 8)}:${id}`]) {
    const { code, stdout, stderr } = await baton('answer', name, 'allow');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('Too late');
  }
  const { code, stdout } = await baton('answer', id, 'allow', '--json');
  expect([code, JSON.parse(stdout)]).toEqual([1, { receipt: 'late' }]);
  expect(existsSync(join(world.cwd, 'one.txt'))).toBe(false);
  // A task is no name for what it asks: by now that may be something else.
  expect(await baton('answer', task.task_id, 'allow')).toMatchObject({ code: 4 });
  expect(await baton('answer', 'unknown', 'allow')).toMatchObject({ code: 4 });
});

test('invalid answers are rejected and leave the request pending, also with an edited input', async () => {
  const { baton, begin, inbox, ok, ended, world } = await operated();
  const task = await begin([write('one.txt')]);
  const name = nameOf((await inbox())[0]);
  for (const args of [
    [],
    ['maybe'],
    ['allow', '--scope', 'forever'],
    ['allow', '--pattern', 'x'],
    ['allow', '--reason', 'x'],
    ['allow', '--input', '{'],
    ['deny', '--scope', 'once'],
    ['allow', '--choose', '1'],
    ['allow', '--scope', 'always', '--input', '{"path":"two.txt","content":""}'],
  ]) {
    const { code, stdout } = await baton('answer', name, ...args);
    expect([args, code, stdout]).toEqual([args, 2, '']);
  }
  const { code, stderr } = await baton('answer', '--choose', '1');
  expect([code, stderr]).toEqual([2, expect.stringContaining('--choose requires a REQUEST')]);
  const input = JSON.stringify({ path: 'two.txt', content: 'by a person\n' });
  await ok('answer', name, 'allow', '--scope', 'once', '--input', input);
  await ended(task);
  expect(existsSync(join(world.cwd, 'one.txt'))).toBe(false);
  expect(readFileSync(join(world.cwd, 'two.txt'), 'utf8')).toBe('by a person\n');
});

test('an answer for the session covers its pattern', async () => {
  const { ok, baton, begin, inbox, ended, client } = await operated();
  const task = await begin([{ shell: 'echo 1' }, { shell: 'echo 2' }, { shell: 'true' }]);
  const first = nameOf((await inbox())[0]);
  await ok('answer', first, 'allow', '--scope', 'session', '--pattern', 'echo *');
  const last = await vi.waitFor(async () => {
    const [request] = (await client.permissions.find()).data;
    expect(request?.request).toMatchObject({ action: { command: 'true' } });
    return request;
  }, 20_000);
  // An answer to the first request must not answer the second one.
  expect(await baton('answer', first, 'allow')).toMatchObject({ code: 1 });
  await ok('answer', nameOf(last), 'deny');
  expect(await ended(task)).toMatchObject({ status: 'COMPLETED' });
});

test('requests with the same id are distinguished by their tasks', async () => {
  const { baton, ok, begin, inbox } = await operated();
  await begin([write('one.txt')]);
  await begin([write('two.txt')]);
  const waiting = await inbox(2);
  // A script whose variable is empty must not allow anything.
  expect(await baton('answer', '', 'allow')).toMatchObject({ code: 4, stdout: '' });
  const { code, stderr } = await baton('answer', waiting[0]?.request_id ?? '', 'allow');
  expect(code).toBe(2);
  for (const request of waiting) {
    expect(stderr).toContain(nameOf(request));
    expect(await ok('answer', nameOf(request), 'allow')).toContain('gets your answer');
  }
});
