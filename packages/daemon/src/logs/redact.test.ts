import { describe, expect, test } from 'vitest';
import { createLog } from './create-log.ts';
import { noteSecret, redact, redactText } from './redact.ts';

const TOKEN = `baton_${'x'.repeat(43)}`;
const TASK_TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.c2lnbmF0dXJl';

describe('a secret is hidden', () => {
  test.each([
    ['password', { password: 'canary' }],
    ['authorization', { headers: { Authorization: 'Bearer canary' } }],
    ['value', { data: { name: 'OPENAI_API_KEY', value: 'canary' } }],
    ['sealed', { row: { sealed: 'canary' } }],
    ['link_secret', [{ link_secret: 'canary' }]],
    ['accessToken', { accessToken: 'canary' }],
    ['OPENAI_API_KEY', { OPENAI_API_KEY: 'canary' }],
    ['master-key', { 'master-key': 'canary' }],
  ])('under the name %s', (_name, value) => {
    expect(JSON.stringify(redact(value))).not.toContain('canary');
  });

  test.each([
    ['a token', `It was ${TOKEN}.`],
    ['the token of an executor', `${TASK_TOKEN}`],
    ['a header', 'Authorization: Bearer canary'],
    ['a link', 'http://127.0.0.1/#link=canary'],
    ['an address with a password', 'postgres://me:canary@host/db'],
  ])('in a text, as %s', (_name, text) => {
    const safe = redactText(text);
    for (const secret of [TOKEN, TASK_TOKEN, 'canary']) expect(safe).not.toContain(secret);
    expect(safe).toContain('***');
  });

  test('by its value, also where a quote in it is written another way', () => {
    noteSecret('can"ary-value');
    expect(redactText('so: can"ary-value')).toBe('so: ***');
    expect(redactText(JSON.stringify({ line: 'so: can"ary-value' }))).toBe('{"line":"so: ***"}');
  });

  test('in an error and in what caused it', () => {
    const error = new Error(`No ${TOKEN}`, { cause: new Error(`Bearer canary`) });
    expect(JSON.stringify(redact({ err: error }))).not.toMatch(/canary|xxx/);
  });
});

test('keeps what is not secret', () => {
  const value = {
    user_id: 'u',
    token_id: 't',
    at: 1,
    ok: true,
    none: null,
    words: 'A key is one.',
  };
  expect(redact(value)).toEqual(value);
  noteSecret('short');
  expect(redactText('a short word')).toBe('a short word');
});

test('a log line shows no secrets in fields or text, and keeps the error', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  log.info({ password: 'canary', taskId: 't' }, `Said ${TOKEN}`);
  log.error({ err: new Error(`Bearer canary`) }, 'Went wrong.');
  expect(lines.join('')).not.toMatch(/canary|xxx/);
  const [said, failed] = lines.map((line) => JSON.parse(line));
  expect(said).toMatchObject({ taskId: 't', password: '***', msg: 'Said ***' });
  expect(failed.err).toMatchObject({ type: 'Error', message: 'Bearer ***' });
  expect(failed.err.stack).toContain('redact.test.ts');
});
