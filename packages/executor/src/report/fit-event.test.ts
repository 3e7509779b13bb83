import { eventSchema } from '@baton/protocol';
import { expect, test } from 'vitest';
import { fitEvent } from './fit-event.ts';

const LIMIT = 100_000;
const common = { seq: 7, time: 1, runId: 'r' };
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

test('a text that is too long is cut, and says how much is missing', () => {
  const text = '\u{1f600}'.repeat(100_000);
  const event = fitEvent(
    { ...common, type: 'message.delta', messageId: 'm', kind: 'text', text },
    LIMIT,
  );
  if (event.type !== 'message.delta') throw new Error('unreachable');
  expect(bytes(event)).toBeLessThanOrEqual(LIMIT);
  const [, head = '', missing] =
    /^(.*)… \[(\d+) characters omitted: too large to report\]$/su.exec(event.text) ?? [];
  expect(head.length + Number(missing)).toBe(text.length);
  expect(head.isWellFormed()).toBe(true);
  expect(event).toMatchObject({ ...common, messageId: 'm', kind: 'text' });
});

test('long lists are truncated too, and short values are unchanged', () => {
  const structured = { list: Array.from({ length: 100_000 }, (_, n) => ({ n })) };
  const event = fitEvent(
    { ...common, type: 'run.completed', outcome: 'done', output: 'Hi', durationMs: 1, structured },
    LIMIT,
  );
  expect(bytes(event)).toBeLessThanOrEqual(LIMIT);
  expect(event).toMatchObject({ ...common, type: 'run.completed', outcome: 'done', output: 'Hi' });
  expect(JSON.stringify(event)).toMatch(/\[\d+ more omitted: too large to report\]/);
  expect(eventSchema.safeParse(event).success).toBe(true);
});
