import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { errorInfo } from './error.ts';
import { JSON_SCHEMA_NAMES, type JsonSchemaName, jsonSchemaOf } from './json-schema.ts';
import { SAMPLE_EVENTS } from './testing/sample-events.ts';

const ajv = new Ajv2020({ strict: false });
const validators = new Map(
  JSON_SCHEMA_NAMES.map((name) => [name, ajv.compile(jsonSchemaOf(name))]),
);

/** True if Ajv accepts the value. */
function accepts(name: JsonSchemaName, value: unknown): boolean {
  return validators.get(name)?.(value) === true;
}

test.each(JSON_SCHEMA_NAMES)('%s is a JSON Schema of draft 2020-12', (name) => {
  expect(jsonSchemaOf(name).$schema).toBe('https://json-schema.org/draft/2020-12/schema');
  expect(ajv.validateSchema(jsonSchemaOf(name))).toBe(true);
});

describe('AgentEvent', () => {
  test.each(SAMPLE_EVENTS.map((event) => [event.type, event] as const))(
    'accepts %s',
    (_type, event) => {
      expect(accepts('AgentEvent', event)).toBe(true);
    },
  );

  test.each(SAMPLE_EVENTS.map((event) => [event.type, event] as const))(
    'accepts %s with a field that it does not know',
    (_type, event) => {
      expect(accepts('AgentEvent', { ...event, novelty: [1] })).toBe(true);
    },
  );

  test('refuses a known event of the wrong shape', () => {
    const event = { seq: 1, time: 0, runId: 'r', type: 'message.delta', messageId: 'a' };
    expect(accepts('AgentEvent', event)).toBe(false);
  });
});

test('RunRequest accepts a request and refuses a misspelt option', () => {
  expect(accepts('RunRequest', { prompt: 'Hi', maxTurns: 2, tools: { allowed: ['Read'] } })).toBe(
    true,
  );
  expect(accepts('RunRequest', { prompt: 'Hi', maxturns: 2 })).toBe(false);
  expect(accepts('RunRequest', { maxTurns: 2 })).toBe(false);
});

test('the other parts of the vocabulary accept what Baton makes', () => {
  const result = { outcome: 'failed', output: '', durationMs: 1, error: errorInfo('usage', 'm') };
  expect(accepts('RunResult', result)).toBe(true);
  expect(accepts('ErrorInfo', errorInfo('internal', 'm'))).toBe(true);
  expect(accepts('PermissionAnswer', { decision: 'deny', reason: 'no', by: 'policy' })).toBe(true);
  expect(accepts('PermissionAnswer', { decision: 'perhaps' })).toBe(false);
  expect(accepts('QuestionAnswer', { answers: { q: ['a'] } })).toBe(true);
  expect(accepts('QuestionAnswer', { declined: false })).toBe(false);
  expect(accepts('McpTaskPacket', { taskId: 't', execution: { model: null }, extra: 1 })).toBe(
    true,
  );
  const probe = {
    backend: 'b',
    installed: false,
    credentials: 'missing',
    problems: [],
    install: 'i',
  };
  expect(accepts('Probe', probe)).toBe(true);
  expect(accepts('Probe', { ...probe, credentials: 'maybe' })).toBe(false);
});
