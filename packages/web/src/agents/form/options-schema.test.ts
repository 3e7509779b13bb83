import type { BackendRecord } from '@baton/client';
import { expect, test } from 'vitest';
import { optionsSchemaOf } from './options-schema.ts';

const words = { type: 'string' };
const backend = {
  options_schema: {
    type: 'object',
    properties: {
      prompt: words,
      resume: words,
      model: words,
      transport: words,
      settings: words,
      timeouts: { type: 'object', properties: { totalMs: { type: 'number' } } },
      tools: { type: 'object', properties: { allowed: words, disallowed: words } },
      budgetUsd: { type: 'number' },
      providerOptions: { type: 'object' },
    },
  },
  provider_options_schema: { type: 'object', properties: { effort: {}, other: {} } },
  capabilities: {
    transports: ['live', 'print'],
    options: {
      model: { support: 'mapped', how: 'passed as --model; of the thread' },
      settings: { support: 'mapped', how: 'a file of its own; others can see it' },
      budgetUsd: { support: 'unsupported', how: 'no' },
      'tools.disallowed': { support: 'unsupported', how: 'no' },
    },
  },
  models: [{ id: 'large' }],
} as unknown as BackendRecord;

test('the schema has every option of a run, with labels', () => {
  const { properties = {} } = optionsSchemaOf(backend);
  expect(Object.keys(properties)).toEqual([
    ...['model', 'transport', 'settings', 'tools', 'timeouts', 'providerOptions'],
  ]);
  expect(properties.settings?.description).toBe('A file of its own.');
  expect(properties.timeouts?.properties).toEqual({
    totalMs: { type: 'number', title: 'Total timeout (s)', scale: 1000 },
  });
  expect(properties.model).toMatchObject({
    title: 'Model',
    description: 'Leave empty for the agent’s default.',
    examples: ['large'],
  });
  expect(properties.transport?.enum).toEqual(['live', 'print']);
  expect(properties.tools?.properties).toEqual({ allowed: { ...words, title: 'Allowed' } });
  expect(properties.providerOptions?.properties).toEqual({
    effort: { title: 'Effort', description: expect.any(String) },
    other: { title: 'other' },
  });
});

test('a caller with its own control for an option omits it', () => {
  const { properties = {} } = optionsSchemaOf(backend, { without: ['model', 'tools'] });
  expect(Object.keys(properties)).toEqual(['transport', 'settings', 'timeouts', 'providerOptions']);
});
