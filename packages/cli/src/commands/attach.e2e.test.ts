import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TaskRecord } from '@baton/protocol';
import { expect, inject, test } from 'vitest';
import type { Terminal } from '../testing/baton.ts';
import { type Operated, operated, operatedApart } from '../testing/operated.ts';
import { serveIn } from '../testing/served.ts';

const CTRL_C = '\u0003';
const WRITE = { write: { path: 'asked.txt', content: 'x\n' } };
const TEA = { question: { question: 'Tea or coffee?', options: ['Tea', 'Coffee'] } };

/** Attaches to the session of a task, at a terminal. */
function attached({ world }: Operated, { session_id }: TaskRecord, ...more: string[]): Terminal {
  const args = ['attach', session_id.slice(0, 8), ...more];
  return world.terminal({ args, env: { NO_COLOR: '1' } });
}

/** Returns the output after the line with the title, which may be the prompt. */
function belowHead(output: string): string {
  return output.slice(output.indexOf('Ctrl-C detaches.'));
}

test('attaching shows the transcript, asks pending requests, and follows new events', async () => {
  const daemon = await operated();
  const { begin, ask, inbox, ended, world } = daemon;
  const first = await begin([{ say: 'Long ago.' }, WRITE]);
  const [asked] = await inbox();
  await daemon.ok('answer', asked?.request_id ?? '', 'deny');
  await ended(first);
  const task = await ask(first.session_id, [{ say: 'Hello.' }, WRITE, TEA]);
  await inbox();
  const terminal = attached(daemon, task);
  await terminal.until('Long ago.');
  await terminal.until('⊘ Edit asked.txt  denied');
  await terminal.until('✓ done');
  await terminal.until('Hello.');
  await terminal.until('? Allow Edit asked.txt');
  expect(existsSync(join(world.cwd, 'asked.txt'))).toBe(false);
  terminal.type('y');
  await terminal.until('✓ Edit asked.txt');
  await terminal.until('? Tea or coffee?');
  await terminal.until('own answer: ');
  terminal.type('1\r');
  await terminal.until('You chose: Tea.');
  await terminal.until('✓ done');
  expect(existsSync(join(world.cwd, 'asked.txt'))).toBe(true);
  // It stays attached, so that it shows the next request too.
  await ask(first.session_id, [{ say: 'Once more.' }]);
  await terminal.until('Once more.');
  await terminal.until('✓ done');
  terminal.type(CTRL_C);
  await terminal.until('Detached.');
  const { code, output } = await terminal.end();
  expect(code).toBe(0);
  expect(belowHead(output).split('Long ago.').length, 'each thing once, beside its prompt').toBe(3);
  expect(output).not.toContain('baton run');
});

test('Ctrl-C detaches and the task keeps running', async () => {
  const daemon = await operated();
  const task = await daemon.begin('demo:stall');
  const terminal = attached(daemon, task);
  await terminal.until('I am going to be silent now.');
  terminal.type(CTRL_C);
  await terminal.until('the task keeps running');
  const { code, output } = await terminal.end();
  expect(code).toBe(0);
  expect(output.replaceAll(/\s+/g, ' ')).toContain(`baton stop ${task.task_id.slice(0, 8)}`);
  expect(await daemon.client.tasks.get(task.task_id)).toMatchObject({ status: 'RUNNING' });
});

test('Ctrl-C instead of an answer leaves the request waiting', async () => {
  const daemon = await operated();
  const task = await daemon.begin([WRITE]);
  await daemon.inbox();
  const terminal = attached(daemon, task);
  await terminal.until('[s] yes, for this session  [a] always');
  await terminal.until('[d] details');
  terminal.type(CTRL_C);
  await terminal.until('the task keeps running');
  expect((await terminal.end()).code).toBe(0);
  await daemon.inbox();
});

test.each([
  ['a permission request', WRITE, '[d] details', { decision: 'allow' as const }],
  ['a question', TEA, 'own answer: ', { answers: { q1: ['Tea'] } }],
])('withdraws %s that someone else answers', async (_name, step, asked, answer) => {
  const daemon = await operated();
  const task = await daemon.begin([step, { say: 'Thanks.' }]);
  const terminal = attached(daemon, task);
  await terminal.until(asked);
  const [request] = await daemon.inbox();
  const { session_id, task_id } = task;
  const request_id = request?.request_id ?? '';
  await daemon.client.permissions.answer({ session_id, task_id, request_id, answer });
  await terminal.until('Already answered elsewhere.');
  await terminal.until('Thanks.');
  await terminal.until('✓ done');
  terminal.type(CTRL_C);
  expect((await terminal.end()).code).toBe(0);
});

test('a daemon that is killed and comes back is waited for, and nothing is missed or shown twice', async () => {
  const daemon = await operatedApart();
  const words = Array.from({ length: 60 }, (_, n) => ({ say: `word ${n}. ` }));
  const script = [...words.slice(0, 30), { shell: 'sleep 2' }, ...words.slice(30), WRITE];
  const task = await daemon.begin(script, { permission_mode: 'auto' });
  const terminal = attached(daemon, task, '-n', '100');
  await terminal.until('? Allow $ sleep 2');
  terminal.type('y');
  await terminal.until('sleep 2');
  // Otherwise the daemon may die before it has the answer, and asks again.
  await daemon.inbox(0);
  const { child, url } = daemon.served;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
  await terminal.until('Lost connection to the daemon. Reconnecting…');
  await serveIn(daemon.folder, Number(new URL(url).port));
  await terminal.until('Reconnected.');
  await terminal.until('✓ $ sleep 2');
  await terminal.until('word 59.');
  await terminal.until('✓ done');
  terminal.type(CTRL_C);
  const { output } = await terminal.end();
  const said = output.slice(output.indexOf('▸'));
  for (let n = 0; n < 60; n++) expect(said.split(`word ${n}.`).length, `word ${n}`).toBe(2);
});

test.each([
  ['a permission request', WRITE, '[d] details ', 'y', '✓ Edit asked.txt'],
  ['a question', TEA, 'own answer: ', '1\r', 'You chose: Tea.'],
])(
  'that the daemon is lost is said below %s, which is asked again',
  async (_name, step, asked, keys, done) => {
    const daemon = await operatedApart();
    const terminal = attached(daemon, await daemon.begin([step]));
    await terminal.until(asked);
    const { child, url } = daemon.served;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    await terminal.until('\n! Lost connection to the daemon. Reconnecting…\r\n');
    await terminal.until(asked);
    await serveIn(daemon.folder, Number(new URL(url).port));
    await terminal.until('! Reconnected.');
    await terminal.until(asked);
    terminal.type(keys);
    await terminal.until(done);
    await terminal.until('✓ done');
    terminal.type(CTRL_C);
    expect((await terminal.end()).code).toBe(0);
  },
);

test('-n starts with the last N entries; a line of a megabyte is shown', async () => {
  const daemon = await operated();
  const first = await daemon.begin([{ say: 'First.' }, { say: 'Second.' }]);
  await daemon.ended(first);
  const one = attached(daemon, first, '-n', '2');
  await one.until('Second.');
  await one.until('✓ done');
  one.type(CTRL_C);
  expect(belowHead((await one.end()).output)).not.toContain('First.');
  const none = attached(daemon, first, '-n', '0');
  await none.until('Ctrl-C detaches.');
  const long = await daemon.ask(first.session_id, [{ say: `${'y'.repeat(990_000)} end.` }]);
  await daemon.ended(long);
  await none.until('end.');
  await none.until('✓ done');
  none.type(CTRL_C);
  const { code, output } = await none.end();
  expect(code).toBe(0);
  expect(belowHead(output)).not.toContain('Second.');
});

test('in a pipe the transcript is printed as it grows', async () => {
  const { world, begin, ask, ended } = await operated();
  const task = await begin([{ say: 'Hello.' }]);
  await ended(task);
  const child = world.start({ args: ['attach', task.session_id] });
  const more = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk) => /^More\.$/m.test(String(chunk)) && resolve());
  });
  const finished = world.finish(child);
  await ask(task.session_id, [{ say: 'More.' }]);
  await more;
  child.kill('SIGINT');
  expect((await finished).stdout).toContain('Hello.\n');
});

test('a terminal is as it was when the session is left', async () => {
  const daemon = await operated();
  const task = await daemon.begin([WRITE]);
  await daemon.inbox();
  const main = inject('baton');
  const { world } = daemon;
  const line = `stty -a > before; '${process.execPath}' '${main}' attach ${task.session_id}; stty -a > after; cmp before after && echo SAME`;
  const child = world.spawn('script', ['-qec', line, '/dev/null']);
  const shown = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk) => String(chunk).includes('details') && resolve());
  });
  const finished = world.finish(child);
  await shown;
  child.stdin.write(CTRL_C);
  expect((await finished).stdout).toContain('SAME');
});
