import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CliWorld } from './testing/baton.ts';

const script = (...steps: object[]) => `demo:script ${JSON.stringify(steps)}`;
const WRITE = { write: { path: 'asked.txt', content: 'first line\nsecond line\n' } };
const CTRL_C = '\u0003';

/** A run at a terminal. */
function run(...steps: object[]) {
  const world = new CliWorld();
  const terminal = world.terminal({ args: ['run', script(...steps)], env: { NO_COLOR: '1' } });
  return { world, terminal, isWritten: () => existsSync(join(world.cwd, 'asked.txt')) };
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

  test('n denies it, and the agent goes on', async () => {
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

  test('d shows what it is about, and asks again', async () => {
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

  test('other keys, arrows and pasted words are not an answer', async () => {
    const { terminal, isWritten } = run(WRITE);
    await terminal.until('[d] details');
    for (const keys of ['x', '\r', '\u001b[A', 'yes', ' ']) {
      terminal.type(keys);
      await new Promise((resolve) => setTimeout(resolve, 50));
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
    await terminal.until('Allow $ echo hi ls #');
    terminal.type('d');
    await terminal.until('    echo hi ls #');
    terminal.type('n');
    const { output } = await terminal.end();
    expect([...output].filter((each) => '\u202E\u0007'.includes(each))).toEqual([]);
  });

  test('that nobody answers ends with the run', async () => {
    const world = new CliWorld();
    const terminal = world.terminal({ args: ['run', '--timeout', '3s', script(WRITE)] });
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
    await terminal.until('Number, or your own words: ');
    terminal.type(keys);
    await terminal.until(words);
    expect((await terminal.end()).code).toBe(0);
  });

  test('is asked again when the answer is empty', async () => {
    const { terminal } = run(ASK);
    await terminal.until('own words: ');
    terminal.type('\r');
    await terminal.until('own words: ');
    terminal.type('1\r');
    await terminal.until('You chose: Tea.');
    await terminal.end();
  });

  test('Ctrl-C stops the run', async () => {
    const { terminal } = run(ASK);
    await terminal.until('own words: ');
    terminal.type(CTRL_C);
    expect((await terminal.end()).code).toBe(130);
  });
});
