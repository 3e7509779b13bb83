import { describe, expect, test } from 'vitest';
import type { EventDraft, StreamEnd } from '../definition/dialect.ts';
import { plainText } from './plain-text.ts';

/** Reads some lines and an end; returns the drafts, the verdict and the text. */
function read(lines: readonly string[], end: Partial<StreamEnd>, noise?: RegExp[]) {
  const drafts: EventDraft[] = [];
  const dialect = plainText(
    { emit: (draft) => drafts.push(draft), write: () => {}, complete: () => {} },
    'Bob',
    noise,
  );
  for (const line of lines) dialect.line(line);
  const verdict = dialect.end({ stderr: '', ...end });
  const text = drafts.map((draft) => (draft.type === 'message.delta' ? draft.text : '')).join('');
  return { drafts, verdict, text };
}

test('all lines are one message, with their line breaks', () => {
  const { drafts, verdict, text } = read(['Hello', '', '  world'], { code: 0 });
  expect(text).toBe('Hello\n\n  world');
  expect(drafts.map(({ type }) => type)).toEqual([
    'message.started',
    'message.delta',
    'message.delta',
    'message.delta',
    'message.completed',
  ]);
  expect(verdict).toEqual({ outcome: 'done' });
});

test('JSON is text like any other', () => {
  expect(read(['{"a":1}'], { code: 0 }).text).toBe('{"a":1}');
});

test('bytes that are no text are no answer, a stray one is', () => {
  const garbage = read(['\uFFFD\0abc\uFFFD', '\uFFFD!\uFFFD'], { code: 0 });
  expect(garbage.verdict).toMatchObject({
    outcome: 'failed',
    error: { code: 'output_unreadable' },
  });
  const stray = `A file name with a byte \uFFFD that is not UTF-8, in a longer text about it.`;
  expect(read([stray], { code: 0 }).verdict).toEqual({ outcome: 'done' });
});

describe('an agent that fails', () => {
  test('keeps what it had said, and its reason is what it printed on standard error', () => {
    const { text, verdict } = read(['Half an ans'], { code: 1, stderr: 'broken pipe' });
    expect(text).toBe('Half an ans');
    expect(verdict?.error).toMatchObject({ code: 'agent_crashed', message: 'broken pipe' });
  });

  test('by saying nothing at all was not understood', () => {
    expect(read([], { code: 0 }).verdict?.error).toMatchObject({
      code: 'output_unreadable',
      message: 'Bob printed nothing.',
    });
  });

  test('by saying nothing but a word on standard error is quoted', () => {
    const { verdict } = read([], { code: 0, stderr: 'npm notice\nlog in first' }, [/^npm/]);
    expect(verdict?.error?.message).toBe('log in first');
  });

  test('by breaking off was interrupted', () => {
    expect(read(['Half'], {}).verdict?.error?.code).toBe('interrupted');
  });
});
