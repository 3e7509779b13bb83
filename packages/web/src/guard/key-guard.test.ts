import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  KeyGuard,
  QUIET_AFTER_ANSWER_MS,
  QUIET_AFTER_MS,
  QUIET_BEFORE_MS,
  type ShortcutGroup,
} from './key-guard.ts';

let done: string[];
let guard: KeyGuard;
/** Time in milliseconds for which the page was too busy to handle events. */
let lag: number;

beforeEach(() => {
  vi.useFakeTimers();
  done = [];
  lag = 0;
  guard = new KeyGuard(() => Date.now() + lag);
});
afterEach(() => vi.useRealTimers());

describe('while a request awaits an answer', () => {
  beforeEach(() => {
    guard.setTextSink((text) => done.push(`text ${text}`));
    guard.add(shortcuts('c', 'gb', 'gi'));
    guard.add({ ...shortcuts('y', 's'), answersRequest: true });
  });

  test('an isolated key press answers', () => {
    guard.pressCharacter('y');
    vi.advanceTimersByTime(QUIET_AFTER_MS - 1);
    expect(done).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(done).toEqual(['y']);
  });

  test('a press waits again when the page was too busy to see the next one', () => {
    guard.pressCharacter('y');
    lag = 1000;
    vi.advanceTimersByTime(QUIET_AFTER_MS);
    expect(done).toEqual([]);
    vi.advanceTimersByTime(QUIET_AFTER_MS);
    expect(done).toEqual(['y']);
  });

  test.for([10, 30, 60, 120, 300])('text typed at %i ms per key only goes to the sink', (delay) => {
    type('yes by sundays', delay);
    expect(done.join('').replaceAll('text ', '')).toBe('yes by sundays');
    expect(done.every((each) => each.startsWith('text '))).toBe(true);
  });

  test('text goes to the sink whatever its first letters are', () => {
    type('give', 50);
    vi.advanceTimersByTime(QUIET_BEFORE_MS);
    type('can', 50);
    expect(done).toEqual(['text giv', 'text e', 'text ca', 'text n']);
  });

  test('without a sink typed text is dropped', () => {
    guard.setTextSink(() => done.push('text'))();
    type('yes', 50);
    expect(done).toEqual([]);
  });

  test('a press right after a character in a field does not answer', () => {
    guard.noteCharacter();
    vi.advanceTimersByTime(QUIET_BEFORE_MS - 1);
    guard.pressCharacter('y');
    vi.runAllTimers();
    expect(done).toEqual(['text y']);
  });

  test('a held key that repeats does not answer', () => {
    guard.pressCharacter('y');
    vi.advanceTimersByTime(QUIET_AFTER_MS - 1);
    guard.noteCharacter();
    vi.runAllTimers();
    expect(done).toEqual([]);
  });

  test('no key answers for a while after an answer', () => {
    guard.noteAnswer();
    expect(guard.canAnswer()).toBe(false);
    vi.advanceTimersByTime(QUIET_AFTER_ANSWER_MS - 1);
    guard.pressCharacter('y');
    vi.advanceTimersByTime(QUIET_BEFORE_MS);
    expect(done).toEqual([]);
    expect(guard.canAnswer()).toBe(true);
    guard.pressCharacter('y');
    vi.runAllTimers();
    expect(done).toEqual(['y']);
  });

  test('listeners are notified when keys become inactive and active', () => {
    guard.subscribe(() => done.push(`${guard.canAnswer()}`));
    guard.noteAnswer();
    vi.runAllTimers();
    expect(done).toEqual(['false', 'true']);
  });

  test('Enter ends the wait', () => {
    guard.pressCharacter('y');
    expect(guard.pressEnter()).toBe(true);
    vi.runAllTimers();
    expect(done).toEqual(['y']);
  });

  test('Enter right after text presses nothing', () => {
    type('ok', 50);
    expect(guard.pressEnter()).toBe(true);
    vi.advanceTimersByTime(QUIET_BEFORE_MS);
    expect(guard.pressEnter()).toBe(false);
  });

  test('a held Enter presses nothing', () => {
    expect(guard.pressEnter()).toBe(false);
    expect(guard.pressEnter(true)).toBe(true);
  });

  test('a space within text presses nothing, and alone what has the focus', () => {
    expect(guard.pressCharacter(' ')).toBe(false);
    vi.advanceTimersByTime(QUIET_BEFORE_MS);
    guard.pressCharacter('y');
    expect(guard.pressCharacter(' ')).toBe(true);
    expect(done).toEqual(['text y ']);
  });

  test('another press cancels the one that waits', () => {
    guard.pressCharacter('y');
    guard.cancel();
    vi.runAllTimers();
    expect(done).toEqual([]);
  });

  test('other shortcuts wait too, also sequences of keys', () => {
    guard.pressCharacter('c');
    expect(done).toEqual([]);
    vi.advanceTimersByTime(QUIET_BEFORE_MS);
    type('gb', 800);
    vi.runAllTimers();
    expect(done).toEqual(['c', 'gb']);
  });
});

test('a press does not answer a request that came after it', () => {
  const remove = guard.add({ ...shortcuts('y'), answersRequest: true });
  guard.pressCharacter('y');
  remove();
  guard.add({ shortcuts: () => ({ y: () => done.push('next') }), answersRequest: true });
  vi.runAllTimers();
  expect(done).toEqual([]);
});

test('Enter reaches the control that a shortcut has focused', () => {
  guard.add({ ...shortcuts('1'), answersRequest: true, passesEnter: true });
  guard.pressCharacter('1');
  expect(guard.pressEnter()).toBe(false);
  expect(done).toEqual(['1']);
});

test('shortcuts run at once while no request awaits an answer', () => {
  guard.setTextSink((text) => done.push(`text ${text}`));
  guard.add(shortcuts('c', 'gb'));
  expect(guard.pressCharacter('c')).toBe(true);
  expect(done).toEqual(['c']);
  expect(guard.pressCharacter('g')).toBe(false);
  vi.advanceTimersByTime(800);
  expect(guard.pressCharacter('b')).toBe(true);
  expect(done).toEqual(['c', 'gb']);
  type('gxb', 50);
  vi.runAllTimers();
  expect(done).toEqual(['c', 'gb']);
});

function type(text: string, delay: number): void {
  for (const character of text) {
    guard.pressCharacter(character);
    vi.advanceTimersByTime(delay);
  }
}

function shortcuts(...keys: string[]): ShortcutGroup {
  const all = Object.fromEntries(keys.map((each) => [each, () => void done.push(each)]));
  return { shortcuts: () => all };
}
