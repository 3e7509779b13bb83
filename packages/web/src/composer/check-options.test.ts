import type { BackendRecord } from '@baton/client';
import { expect, test } from 'vitest';
import { checkOptions } from './check-options.ts';

const supported = { support: 'mapped', how: '' };
const backend = {
  options_schema: {
    properties: {
      maxTurns: { type: 'integer', exclusiveMinimum: 0 },
      budgetUsd: { type: 'number', exclusiveMinimum: 0 },
      systemPrompt: { type: 'string' },
      timeouts: { type: 'object', properties: { totalMs: { type: 'number', minimum: 0 } } },
    },
  },
  provider_options_schema: null,
  capabilities: {
    transports: ['live'],
    options: { maxTurns: supported, budgetUsd: supported, timeouts: supported },
  },
  models: [],
} as unknown as BackendRecord;

test.each([
  [{ maxTurns: 0 }, 'Most turns: At least 1.'],
  [{ maxTurns: 1.5 }, 'Most turns: A whole number.'],
  [{ budgetUsd: 0 }, /: More than 0\.$/],
  [{ timeouts: { totalMs: -1000 } }, 'In all, in seconds: At least 0.'],
])('%j is refused in the words of its field', (options, words) => {
  expect(() => checkOptions(backend, options)).toThrow(words);
});

test('what is right, or not known here, passes', () => {
  const options = { maxTurns: 1, budgetUsd: 0.5, systemPrompt: 'Be kind.', timeouts: {}, other: 0 };
  expect(() => checkOptions(backend, options)).not.toThrow();
  expect(() => checkOptions(undefined, { maxTurns: 0 })).not.toThrow();
});
