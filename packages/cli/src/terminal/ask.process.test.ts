import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, test, vi } from 'vitest';
import { CliWorld } from '../testing/baton.ts';

const script = (...steps: object[]) => `demo:script ${JSON.stringify(steps)}`;
const WRITE = { write: { path: 'asked.txt', content: 'first line\nsecond line\n' } };
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const CTRL_BACKSLASH = '\u001c';
/** A command that goes on until something is written to its pipe. */
const GATE = { shell: 'mkfifo gate; read line < gate' };

/** A run at a terminal. */
function run(...steps: object[]) {
  const world = new CliWorld();
  const args = ['run', script(...steps)];
  const terminal = world.terminal({ args, env: { NO_COLOR: '1' } });
  return { world, terminal, isWritten: () => existsSync(join(world.cwd, 'asked.txt')) };
}

/** Types while the agent is at the gate, and lets it pass when the keys were read. */
async function typeAtGate({ world, terminal }: ReturnType<typeof run>, keys: string) {
  await terminal.until('Allow $ mkfifo gate');
  terminal.type('y');
  // Beside a spinner, so the last that the agent had to say was read.
  await terminal.until(' $ mkfifo gate');
  await terminal.typeUntilRead(keys);
  const gate = join(world.cwd, 'gate');
  await vi.waitFor(() => expect(existsSync(gate)).toBe(true));
  await writeFile(gate, '\n');
}

describe.concurrent('a permission request at a terminal', () => {
  test('y allows it', async () => {
    const { terminal, isWritten } = run(WRITE, { say: 'Thanks.' });
    await terminal.until('? Allow Edit asked.txt');
    await terminal.until('[y] yes  [n] no  [r] no, with a reason  [d] details');
    expect(isWritten()).toBe(false);
    terminal.type('y');
    await terminal.until('✓ Edit asked.txt');
    await terminal.until('Thanks.');
    expect((await terminal.end()).code).toBe(0);
    expect(isWritten()).toBe(true);
  });

  test('n denies, and the agent continues', async () => {
    const { terminal, isWritten } = run(WRITE, { say: 'Fine.' });
    await terminal.until('[n] no');
    terminal.type('N');
    await terminal.until('⊘ Edit asked.txt');
    await terminal.until('Fine.');
    expect((await terminal.end()).code).toBe(0);
    expect(isWritten()).toBe(false);
  });

  test('r asks for the reason of a no', async () => {
    const { world, terminal, isWritten } = run(WRITE);
    await terminal.until('[r] no, with a reason');
    terminal.type('r');
    await terminal.until('Reason: ');
    terminal.type('Not on a Friday\r');
    await terminal.until('✓ done');
    expect((await terminal.end()).code).toBe(0);
    expect(isWritten()).toBe(false);
    world.expectNothingLeft();
  });

  test('d shows the details and asks again', async () => {
    const { terminal, isWritten } = run(WRITE);
    await terminal.until('[d] details');
    terminal.type('d');
    await terminal.until('first line');
    await terminal.until('second line');
    await terminal.until('[y] yes');
    terminal.type('y');
    expect((await terminal.end()).code).toBe(0);
    expect(isWritten()).toBe(true);
  });

  test('other keys, arrows and pasted text are not answers', async () => {
    const { world, terminal, isWritten } = run(WRITE);
    await terminal.until('[d] details');
    for (const keys of ['x', '\r', '\u001b[A', 'yes', ' ']) {
      terminal.type(keys);
      await world.untilIdle();
      expect(isWritten()).toBe(false);
    }
    terminal.type('n');
    expect((await terminal.end()).code).toBe(0);
    expect(isWritten()).toBe(false);
  });

  test.each([
    ['at the question', ''],
    ['instead of a reason', 'r'],
  ])('Ctrl-C %s stops the run', async (_name, before) => {
    const { terminal, isWritten } = run(WRITE, { say: 'Never said.' });
    await terminal.until('[d] details');
    if (before) {
      terminal.type(before);
      await terminal.until('Reason: ');
    }
    terminal.type(CTRL_C);
    const { code, output } = await terminal.end();
    expect(code).toBe(130);
    expect(output).toContain('✗ cancelled');
    expect(output).not.toContain('Never said.');
    expect(isWritten()).toBe(false);
  });

  test.each([
    ['the question', ''],
    ['a reason', 'r'],
  ])('Ctrl-D instead of an answer to %s denies, and the agent continues', async (_name, before) => {
    const { terminal, isWritten } = run(WRITE, { say: 'Fine.' });
    await terminal.until('[d] details');
    if (before) {
      terminal.type(before);
      await terminal.until('Reason: ');
    }
    terminal.type(CTRL_D);
    await terminal.until('⊘ Edit asked.txt  denied');
    await terminal.until('Fine.');
    expect((await terminal.end()).code).toBe(0);
    expect(isWritten()).toBe(false);
  });

  test('is not answered by keys from before it was shown', async () => {
    const started = run(GATE, WRITE);
    const { terminal, isWritten } = started;
    await typeAtGate(started, 'y');
    await terminal.until('Allow Edit asked.txt');
    await terminal.until('[d] details');
    expect(isWritten()).toBe(false);
    terminal.type('n');
    expect((await terminal.end()).code).toBe(0);
    expect(isWritten()).toBe(false);
  });

  test('several are asked one after another', async () => {
    const { world, terminal } = run({ shell: 'echo 1 >> ran.txt' }, { shell: 'echo 2 >> ran.txt' });
    await terminal.until('Allow $ echo 1');
    terminal.type('y');
    await terminal.until('Allow $ echo 2');
    terminal.type('n');
    await terminal.until('⊘ $ echo 2');
    await terminal.end();
    expect(readFileSync(join(world.cwd, 'ran.txt'), 'utf8')).toBe('1\n');
  });

  test('shows a command as it is, whatever it contains', async () => {
    const evil = 'echo hi \u001b[2K\r\u202Els\u202C #\u0007';
    const { terminal } = run({ shell: evil });
    const shown = 'echo hi ⟨U+001B⟩[2K⟨U+000D⟩⟨U+202E⟩ls⟨U+202C⟩ #⟨U+0007⟩';
    await terminal.until(`Allow $ ${shown}`);
    terminal.type('d');
    await terminal.until(`    ${shown}`);
    terminal.type('n');
    const { output } = await terminal.end();
    expect([...output].filter((each) => '\u202E\u0007'.includes(each))).toEqual([]);
  });

  test('that is not answered ends with the run', async () => {
    const world = new CliWorld();
    const terminal = world.terminal({ args: ['run', '--timeout', '10s', script(WRITE)] });
    await terminal.until('[d]');
    const { code, output } = await terminal.end();
    expect(code).toBe(3);
    expect(output).toContain('timed out');
  });
});

describe.concurrent('a question at a terminal', () => {
  const ASK = { question: { question: 'Tea or coffee?', options: ['Tea', 'Coffee'] } };

  test.each([
    ['a number', '2\r', 'You chose: Coffee.'],
    ['words of one’s own', 'Water\r', 'You chose: Water.'],
  ])('is answered with %s', async (_name, keys, words) => {
    const { terminal } = run(ASK);
    await terminal.until('? Tea or coffee?');
    await terminal.until('[2] Coffee');
    await terminal.until('Number, or your own answer: ');
    terminal.type(keys);
    await terminal.until(words);
    expect((await terminal.end()).code).toBe(0);
  });

  test('shows what turns the direction of its writing, and each option on a line', async () => {
    const options = ['Tea \u202Edab', 'Coffee\n  [3] Water'];
    const { terminal } = run({ question: { question: 'Tea or \u2067coffee?', options } });
    await terminal.until('? Tea or ⟨U+2067⟩coffee?');
    await terminal.until('[1] Tea ⟨U+202E⟩dab');
    await terminal.until('[2] Coffee ⏎   [3] Water');
    terminal.type('1\r');
    await terminal.until('You chose: Tea ⟨U+202E⟩dab.');
    await terminal.end();
  });

  test('is asked again when the answer is empty, with a way out', async () => {
    const { terminal } = run(ASK);
    await terminal.until('own answer: ');
    terminal.type('\r');
    await terminal.until('Press Ctrl-D to skip.');
    await terminal.until('own answer: ');
    terminal.type('1\r');
    await terminal.until('You chose: Tea.');
    await terminal.end();
  });

  test('Ctrl-C stops the run', async () => {
    const { terminal } = run(ASK);
    await terminal.until('own answer: ');
    terminal.type(CTRL_C);
    expect((await terminal.end()).code).toBe(130);
  });

  test('Ctrl-D declines it, and the agent continues', async () => {
    const { terminal } = run(ASK, { say: 'On we go.' });
    await terminal.until('own answer: ');
    terminal.type(CTRL_D);
    await terminal.until('You did not answer, so I continue.');
    await terminal.until('On we go.');
    expect((await terminal.end()).code).toBe(0);
  });

  test('Ctrl-\\ stops the run at once', async () => {
    const { terminal } = run(ASK);
    await terminal.until('own answer: ');
    terminal.type(CTRL_BACKSLASH);
    await terminal.until('\nStopping now.');
    expect((await terminal.end()).code).toBe(130);
  });

  test('is not answered by lines from before it was shown', async () => {
    const started = run(GATE, ASK);
    const { terminal } = started;
    await typeAtGate(started, '1\r');
    await terminal.until('own answer: ');
    terminal.type('2\r');
    await terminal.until('You chose: Coffee.');
    await terminal.end();
  });

  test('that is not answered ends with the run', async () => {
    const world = new CliWorld();
    const terminal = world.terminal({ args: ['run', '--timeout', '10s', script(ASK)] });
    await terminal.until('own answer: ');
    expect((await terminal.end()).code).toBe(3);
  });
});

test.concurrent('typed text is not echoed while the agent works', async () => {
  const started = run(GATE);
  await typeAtGate(started, 'typed too early\r');
  const { code, output } = await started.terminal.end();
  expect(code).toBe(0);
  expect(output).not.toContain('typed');
});

test.concurrent('at the end the terminal is as it was', async () => {
  const world = new CliWorld();
  const baton = `'${process.execPath}' '${inject('baton')}'`;
  const line = `stty -a > before; ${baton} run demo:garbage; stty -a > after`;
  const child = world.spawn('script', ['-qec', line, '/dev/null']);
  await world.finish(child);
  const read = (name: string) => readFileSync(join(world.cwd, name), 'utf8');
  expect(read('after')).toBe(read('before'));
});

test.concurrent('a prompt from stdin leaves no terminal to ask on', async () => {
  const world = new CliWorld();
  const terminal = world.terminal({ args: ['run', '-'], env: { NO_COLOR: '1' } });
  await world.untilIdle();
  terminal.type(`${script(WRITE)}\r${CTRL_D}`);
  await terminal.until('⊘ Edit asked.txt');
  expect((await terminal.end()).code).toBe(5);
});
