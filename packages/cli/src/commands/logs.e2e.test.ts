import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { logEventSchema } from '@baton/protocol';
import { expect, test } from 'vitest';
import { operated } from '../testing/operated.ts';

test('prints the log of a session from the beginning, and that of a task alone', async () => {
  const { ok, baton, begin, ask, ended } = await operated();
  const first = await begin([{ say: 'Hello \u001b[31mthere.' }]);
  await ended(first);
  const second = await ask(first.session_id, 'demo:fail');
  await ended(second);
  const all = await ok('logs', first.session_id.slice(0, 8));
  expect(all).toContain('> demo:fail');
  expect(all).toContain('\nHello there.\n');
  expect(all).toContain('= done');
  expect(all).toContain('= failed · ');
  expect(all).not.toContain('\u001b');
  const one = await ok('logs', second.task_id);
  expect(one).toMatch(/^> demo:fail\n/);
  expect(one).not.toContain('Hello');
  expect(await baton('logs', 'unknown')).toMatchObject({ code: 4, stdout: '' });
});

test('--json prints one event per line', async () => {
  const { ok, begin, ended, client } = await operated();
  const task = await begin([{ say: 'Hello.' }]);
  await ended(task);
  const lines = (await ok('logs', task.session_id, '--json')).trimEnd().split('\n');
  const events = lines.map((line) => logEventSchema.parse(JSON.parse(line)));
  expect(events).toEqual((await client.events.find({ session_id: task.session_id })).events);
});

test('--raw prints the raw output of the agent', async () => {
  const { ok, baton, begin, ask, ended } = await operated();
  const first = await begin('demo:garbage');
  await ended(first);
  const second = await ask(first.session_id, [{ say: 'Hello.' }]);
  await ended(second);
  const raw = await ok('logs', '--raw', first.task_id.slice(0, 8));
  expect(raw).toMatch(/^1.*this is not JSON \{$/m);
  const both = await ok('logs', '--raw', first.session_id);
  expect(both.startsWith(raw)).toBe(true);
  expect(both).toContain('Hello.');
  expect(await baton('logs', '--raw', '--json', first.task_id)).toMatchObject({ code: 2 });
});

test('--raw strips control sequences on a terminal', async () => {
  const { ok, begin, ended, world } = await operated();
  // The agent prints what its tool printed: here the order to put something into the clipboard.
  const task = await begin([{ shell: String.raw`printf '\033]52;c;eHh4\007\302\233seen'` }], {
    permission_mode: 'allow-all',
  });
  await ended(task);
  const args = ['logs', '--raw', task.task_id];
  const { output } = await world.terminal({ args, env: { NO_COLOR: '1' } }).end();
  expect(output).toContain('seen');
  expect(output.replaceAll(/[\t\r\n]/g, '')).not.toMatch(/\p{Cc}/u);
  expect(await ok(...args)).toMatch(/\p{Cc}.*seen/u);
});

test('--follow continues to the end of a task', async () => {
  const { world, begin, inbox, client } = await operated();
  const task = await begin([{ say: 'Before.' }, { shell: 'true' }, { say: 'After.' }]);
  const [request] = await inbox();
  const child = world.start({ args: ['logs', '--follow', task.task_id] });
  const asked = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk) => String(chunk).includes('? permission') && resolve());
  });
  const finished = world.finish(child);
  await asked;
  const { session_id, task_id } = task;
  const request_id = request?.request_id ?? '';
  const answer = { decision: 'allow' as const };
  await client.permissions.answer({ session_id, task_id, request_id, answer });
  const { code, stdout } = await finished;
  expect(code).toBe(0);
  expect(stdout).toMatch(/Before\.[\s\S]*allow \(person\)[\s\S]*After\.[\s\S]*= done/);
});

test('handles a line of a megabyte', async () => {
  const { ok, begin, ended, world } = await operated();
  const path = join(world.cwd, 'long.txt');
  const shell = `head -c 1000000 /dev/zero | tr '\\0' x > long.txt; cat long.txt`;
  const task = await begin([{ shell }, { say: `${'y'.repeat(990_000)} end` }], {
    permission_mode: 'allow-all',
  });
  await ended(task);
  rmSync(path);
  const text = await ok('logs', task.session_id);
  // Not toContain, which takes its time over a megabyte, as a search for long rows of a letter does.
  expect(text.includes(`${'y'.repeat(990_000)} end`)).toBe(true);
  const shown = text.split('\n').filter((line) => line.includes('xxx'));
  expect(Math.max(...shown.map((line) => line.length))).toBeLessThan(300);
  const events = await ok('logs', task.session_id, '--json');
  expect(events.split('x').length).toBeGreaterThan(990_000);
  // The prompt and the text are whole, the output of the tool is not.
  expect((await ok('export', task.session_id, '--markdown')).length).toBeLessThan(2_100_000);
});
