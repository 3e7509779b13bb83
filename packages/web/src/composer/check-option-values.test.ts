import type { BackendRecord } from '@baton/client';
import { expect, test } from 'vitest';
import { checkOptionValues } from './check-option-values.ts';

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
  [{ maxTurns: 0 }, 'Max turns: Must be at least 1.'],
  [{ maxTurns: 1.5 }, 'Max turns: Must be a whole number.'],
  [{ budgetUsd: 0 }, /: Must be greater than 0\.$/],
  [{ timeouts: { totalMs: -1000 } }, 'Total timeout (s): Must be at least 0.'],
])('%j is rejected with the label of its field', (options, words) => {
  expect(() => checkOptionValues(backend, options)).toThrow(words);
});

test('valid and unknown values pass', () => {
  const options = { maxTurns: 1, budgetUsd: 0.5, systemPrompt: 'Be kind.', timeouts: {}, other: 0 };
  expect(() => checkOptionValues(backend, options)).not.toThrow();
  expect(() => checkOptionValues(undefined, { maxTurns: 0 })).not.toThrow();
});
