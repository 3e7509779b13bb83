import { describe, expect, test } from 'vitest';
import { errorOf } from '../../../agents/src/dialects/claude-stream-json/errors.ts';
import { codexError } from '../../../agents/src/dialects/codex-jsonl/errors.ts';
import { providerErrorCode } from './provider-errors.ts';

/** Returns the error of each agent for the same answer of its provider. */
function judged(status: number, words: string) {
  return {
    claude: errorOf({ message: `API Error: ${status} ${words}` }, 'Claude Code'),
    codex: codexError(`unexpected status ${status} ${words}`),
    codexKind: codexError(words, { httpConnectionFailed: { httpStatusCode: status } }),
  };
}

const STATUSES = Array.from({ length: 200 }, (_, n) => 400 + n);

test('every status means the same with every agent', () => {
  for (const status of STATUSES) {
    const code = providerErrorCode({ status });
    const errors = Object.entries(judged(status, 'Nope'));
    expect([status, errors.map(([agent, error]) => [agent, error.code])]).toEqual([
      status,
      errors.map(([agent]) => [agent, code]),
    ]);
    expect(new Set(errors.map(([, error]) => error.retryable)).size).toBe(1);
  }
});

test.each([
  [402, 'quota_exhausted'],
  [413, 'context_too_long'],
  [418, 'request_rejected'],
  [500, 'provider_error'],
  [503, 'overloaded'],
  [529, 'overloaded'],
])('%d is %s', (status, code) => {
  expect(providerErrorCode({ status })).toBe(code);
});

describe('the text takes precedence over an ambiguous status', () => {
  test.each([
    [400, 'Your credit balance is too low to access the API', 'quota_exhausted'],
    [400, 'prompt is too long: 210000 tokens', 'context_too_long'],
    [429, 'You exceeded your current quota', 'quota_exhausted'],
    [404, 'model: nonsense not found', 'model_not_found'],
    [403, 'The model does not exist', 'model_not_found'],
    [401, 'You exceeded your current quota', 'auth_missing'],
    [500, 'the billing service is down', 'provider_error'],
  ])('%d with "%s" is %s', (status, words, code) => {
    const errors = Object.values(judged(status, words));
    expect(errors.map((error) => error.code)).toEqual(errors.map(() => code));
  });
});

test('is unknown without a status and with unknown text', () => {
  expect(providerErrorCode({ words: 'Something else.' })).toBeUndefined();
  expect(providerErrorCode({ words: 'Overloaded' })).toBe('overloaded');
});

describe('words that hold the status', () => {
  test.each([
    ['401 Invalid credentials', 'auth_missing'],
    ['Error: 429 Slow down', 'rate_limited'],
    ['AuthenticationError: 401 Nope', 'auth_missing'],
    ['API error (status 401 Unauthorized): {"error":"x"}', 'auth_missing'],
    ['Request failed with status code 500', 'provider_error'],
    ['HTTP 503', 'overloaded'],
    ['500 status code (no body)', 'provider_error'],
    ['[API Error: 402 Pay first]', 'quota_exhausted'],
  ])('%s is %s', (words, code) => {
    expect(providerErrorCode({ words })).toBe(code);
  });

  test.each(['500 files were changed in 401.', 'took 404 ms', 'the file status-500.txt'])(
    'other numbers are none: %s',
    (words) => {
      expect(providerErrorCode({ words })).toBeUndefined();
    },
  );
});

test.each([
  ['Stream ended without finish_reason', 'provider_error'],
  ['Model stream ended without a finish reason.', 'provider_error'],
  ['[API Error: terminated]', 'provider_error'],
  ['models/gemini-9 is not found for API version v1beta', 'model_not_found'],
  ['The model gpt-9 does not exist', 'model_not_found'],
  ['Model `m` not found', 'model_not_found'],
  ['The process was terminated', undefined],
])('"%s" alone is %s', (words, code) => {
  expect(providerErrorCode({ words })).toBe(code);
});
