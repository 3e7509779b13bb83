import { BatonError } from '@baton/protocol';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { correctivePrompt, schemaCheck } from './schema-check.ts';

const person = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } },
  required: ['name'],
  additionalProperties: false,
};

afterEach(() => {
  vi.restoreAllMocks();
});

async function judge(schema: Record<string, unknown>, output: string, structured?: unknown) {
  const check = await schemaCheck(schema);
  return check({ outcome: 'done', output, structured });
}

describe('an answer', () => {
  test.each([
    ['plain JSON', '{"name":"Ada"}'],
    ['JSON with space around it', '\n  {"name":"Ada"}\n\n'],
    ['JSON in a fenced block', 'Here it is:\n```json\n{"name":"Ada"}\n```\nBye.'],
    ['JSON in a block that names no language', '```\n{"name":"Ada"}\n```'],
    ['JSON in a block with capital letters', '```JSON\n{"name":"Ada"}\n```'],
    ['JSON in a block with Windows line ends', '```json\r\n{"name":"Ada"}\r\n```\r\n'],
  ])('can be %s', async (_name, output) => {
    expect(await judge(person, output)).toEqual({ ok: true, value: { name: 'Ada' } });
  });

  test('that the agent gave as a value is used as it is', async () => {
    const judged = await judge(person, 'I am done.', { name: 'Ada' });
    expect(judged).toEqual({ ok: true, value: { name: 'Ada' } });
  });

  test.each([
    ['prose', 'Ada'],
    ['nothing', ''],
    ['half a value', '{"name":'],
    ['a fenced block that is no JSON', '```json\nname: Ada\n```'],
  ])('that is %s is not JSON', async (_name, output) => {
    expect(await judge(person, output)).toEqual({ ok: false, problem: 'The answer is not JSON.' });
  });

  test('that does not match the schema lists all errors, each with its path', async () => {
    const judged = await judge(person, '{"age":-1,"nick":"A"}');
    expect(judged).toMatchObject({ ok: false });
    const problem = judged.ok ? '' : judged.problem;
    expect(problem).toMatch(/answer must have required property 'name'/);
    expect(problem).toMatch(/answer\/age must be >= 0/);
    expect(problem).toMatch(/additional properties/);
  });

  test('of any JSON value passes the schema that allows everything', async () => {
    const check = await schemaCheck({});
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const wire = JSON.stringify(value);
        expect(check({ outcome: 'done', output: wire })).toEqual({
          ok: true,
          value: JSON.parse(wire),
        });
      }),
    );
  });
});

describe('a schema', () => {
  test.each([
    ['date', '2024-02-30', '2024-02-29'],
    ['email', 'nobody', 'a@b.example'],
    ['uri', 'not a uri', 'https://example.org/x'],
    ['uuid', '1234', '123e4567-e89b-42d3-a456-426614174000'],
  ])('can ask for the format %s', async (format, wrong, right) => {
    const schema = { type: 'string', format };
    expect((await judge(schema, JSON.stringify(wrong))).ok).toBe(false);
    expect((await judge(schema, JSON.stringify(right))).ok).toBe(true);
  });

  test.each([
    'https://json-schema.org/draft/2020-12/schema',
    'http://json-schema.org/draft-07/schema#',
    'https://example.org/mine',
  ])('may name its dialect: %s', async ($schema) => {
    expect((await judge({ $schema, ...person }, '{"name":"Ada"}')).ok).toBe(true);
  });

  test('may refer to its own definitions', async () => {
    const schema = { $ref: '#/$defs/person', $defs: { person } };
    expect((await judge(schema, '{"name":1}')).ok).toBe(false);
    expect((await judge(schema, '{"name":"Ada"}')).ok).toBe(true);
  });

  test('with an id can be used again and again', async () => {
    const schema = { $id: 'https://example.org/person', ...person };
    expect((await judge(schema, '{"name":"Ada"}')).ok).toBe(true);
    expect((await judge(schema, '{"name":"Ada"}')).ok).toBe(true);
  });

  test.each([
    ['an unknown type', { type: 'objekt' }],
    ['a reference to nowhere', { $ref: '#/$defs/nobody' }],
    ['a reference to the network', { $ref: 'https://example.org/other' }],
    ['a broken pattern', { type: 'string', pattern: '(' }],
    ['a list for an object', { properties: [] }],
  ])('with %s is a mistake of the caller', async (_name, schema) => {
    const error = await schemaCheck(schema).catch((thrown: unknown) => thrown);
    expect(BatonError.is(error) && error.toJSON()).toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/output schema/),
    });
  });

  test('with unknown keywords is accepted silently', async () => {
    const loud = (['log', 'warn', 'error'] as const).map((name) => vi.spyOn(console, name));
    const schema = { type: 'string', format: 'colour', 'x-note': 1 };
    expect((await judge(schema, '"red"')).ok).toBe(true);
    for (const spy of loud) expect(spy).not.toHaveBeenCalled();
  });
});

test('the corrective prompt contains the problem and the schema', () => {
  const words = correctivePrompt('answer/age must be >= 0', person);
  expect(words).toContain('answer/age must be >= 0');
  expect(words).toContain(JSON.stringify(person));
});
