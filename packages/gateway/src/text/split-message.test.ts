import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openFence } from './fences.ts';
import { MENTIONS, mentionSpans, neutralizeMentions } from './mentions.ts';
import { MIN_LIMIT, messageParts, splitMessage } from './split-message.ts';

const RUNS = { numRuns: 300 };

/** Text made of what makes splitting hard. */
const piece = fc.oneof(
  fc.constantFrom('```\n', '```ts\n', '````md\n', '~~~\n', '```', '\n', '\n\n', ' ', '   ```\n'),
  fc.constantFrom(
    '😀'.repeat(40),
    '<@1234567890123456789>',
    '<@&12>',
    '@everyone',
    '`code`',
    '\r\n',
  ),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 120 }),
  fc.constantFrom('word '.repeat(30), 'x'.repeat(300), '`'.repeat(200), `\`\`\`${'i'.repeat(250)}`),
);
const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
const limit = fc.integer({ min: MIN_LIMIT, max: 400 });

describe('splitMessage', () => {
  test('loses and adds nothing except fences', () => {
    fc.assert(
      fc.property(text, limit, (whole, max) => {
        const parts = messageParts(whole, max, MENTIONS.discord);
        expect(parts.map(({ body }) => body).join('')).toBe(whole);
        for (const { opening, closing } of parts) {
          expect(opening).toMatch(/^((`{3,}|~{3,})\S*\n)?$/);
          expect(closing).toMatch(/^(\n?(`{3,}|~{3,}))?$/);
        }
      }),
      RUNS,
    );
  });

  test('keeps every message within the limit, with balanced fences', () => {
    fc.assert(
      fc.property(text, limit, (whole, max) => {
        for (const part of splitMessage(whole, max, MENTIONS.discord)) {
          expect(part.length).toBeLessThanOrEqual(max);
          expect(openFence(part)).toBeUndefined();
          expect(part.trim()).not.toBe('');
        }
      }),
      RUNS,
    );
  });

  test('never splits a surrogate pair or a mention', () => {
    fc.assert(
      fc.property(text, limit, (whole, max) => {
        const spans = mentionSpans(whole, MENTIONS.discord);
        let at = 0;
        for (const { body } of messageParts(whole, max, MENTIONS.discord)) {
          at += body.length;
          expect(/[\uD800-\uDBFF]$/.test(body) && /^[\uDC00-\uDFFF]/.test(whole.slice(at))).toBe(
            false,
          );
          expect(spans.filter(([from, to]) => from < at && at < to)).toEqual([]);
        }
      }),
      RUNS,
    );
  });

  test('leaves a short text alone', () => {
    expect(splitMessage('Hello.', 2000, MENTIONS.discord)).toEqual(['Hello.']);
    expect(splitMessage('', 2000, MENTIONS.discord)).toEqual([]);
    expect(splitMessage(' \n ', 2000, MENTIONS.discord)).toEqual([]);
  });

  test('closes a code block and reopens it with its language', () => {
    const line = `${'x'.repeat(60)}\n`;
    const code = `\`\`\`ts title\n${line.repeat(5)}\`\`\`\nDone.`;
    expect(splitMessage(code, 250, MENTIONS.discord)).toEqual([
      `\`\`\`ts title\n${line.repeat(3)}\`\`\``,
      `\`\`\`ts\n${line.repeat(2)}\`\`\`\nDone.`,
    ]);
  });

  test('closes a code block that the agent left open', () => {
    expect(splitMessage('```sh\nls', 2000, MENTIONS.discord)).toEqual(['```sh\nls\n```']);
  });

  test('prefers paragraphs to lines and lines to words', () => {
    const first = 'a'.repeat(150);
    expect(splitMessage(`${first}\n\nb\n${'c '.repeat(60)}`, 200, MENTIONS.discord)[0]).toBe(
      `${first}\n\n`,
    );
    expect(splitMessage(`${first}\n${'c '.repeat(60)}`, 200, MENTIONS.discord)[0]).toBe(
      `${first}\n`,
    );
    expect(splitMessage('word '.repeat(60), 200, MENTIONS.discord)[0]).toMatch(/^(word )+$/);
  });

  test('splits a megabyte of short lines', () => {
    const parts = splitMessage('a\n'.repeat(500_000), 2000, MENTIONS.discord);
    expect(parts).toHaveLength(500);
  });

  test('rejects a limit that leaves no room for code', () => {
    expect(() => splitMessage('x', MIN_LIMIT - 1, MENTIONS.discord)).toThrow(RangeError);
  });
});

describe('neutralizeMentions', () => {
  const mention = fc.constantFrom(
    '@everyone',
    '@here',
    '@Everyone',
    '<@123>',
    '<@!123>',
    '<@&123>',
    '<!channel>',
    '<!here|here>',
    '<@U123>',
    '<!subteam^S1>',
    '@some_user',
    'tg://user?id=1',
    '@',
    '<',
    '\u200b',
  );
  const hostile = fc.array(fc.oneof(mention, fc.string({ maxLength: 5 })), { maxLength: 20 });

  test.each(Object.entries(MENTIONS))('leaves no mention in a text for %s', (_name, rules) => {
    fc.assert(
      fc.property(hostile, (words) => {
        const safe = neutralizeMentions(words.join(''), rules);
        expect(mentionSpans(safe, rules)).toEqual([]);
        expect(safe.replaceAll('\u200b', '')).toBe(words.join('').replaceAll('\u200b', ''));
      }),
      RUNS,
    );
  });

  test('breaks mentions of everyone, of roles and of users, and leaves other text alone', () => {
    const text = 'a@b.de @everyone <@&1> <@!2> <#3> @nobody';
    expect(neutralizeMentions(text, MENTIONS.discord)).toBe(
      'a@b.de @\u200beveryone <@\u200b&1> <@\u200b!2> <#3> @nobody',
    );
    expect(neutralizeMentions('<!here> <@U1> <https://a.b>', MENTIONS.slack)).toBe(
      '<!\u200bhere> <@\u200bU1> <https://a.b>',
    );
    expect(neutralizeMentions('a@mail.de @some_user', MENTIONS.telegram)).toBe(
      'a@mail.de @\u200bsome_user',
    );
  });
});
