import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { readOutputSchema, type StandardSchema, type StructuredOf } from './output-schema.ts';

describe('the type of a structured answer', () => {
  test('is what a JSON Schema describes', () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string' },
        age: { type: ['integer', 'null'] },
        tags: { type: 'array', items: { enum: ['a', 'b'] } },
        kind: { const: 'person' },
        either: { anyOf: [{ type: 'boolean' }, { type: 'number' }] },
        odd: { not: {} },
      },
      required: ['name', 'kind'],
    } as const;
    expectTypeOf<StructuredOf<typeof schema>>().toEqualTypeOf<{
      name: string;
      kind: 'person';
      age?: number | null;
      tags?: ('a' | 'b')[];
      either?: boolean | number;
      odd?: unknown;
    }>();
  });

  test('is unknown where the schema is not known to the compiler', () => {
    expectTypeOf<StructuredOf<Record<string, unknown>>>().toBeUnknown();
  });

  test('is the output of a Zod schema', () => {
    const schema = z.object({ n: z.string().transform(Number) });
    expectTypeOf<StructuredOf<typeof schema>>().toEqualTypeOf<{ n: number }>();
  });
});

describe('an output schema', () => {
  const schema = z.object({ n: z.string().transform(Number).pipe(z.number().max(9)) });

  test('of Zod asks for its input type and returns its output type', async () => {
    const { json, parse } = readOutputSchema(schema);
    expect(json).toMatchObject({ type: 'object', properties: { n: { type: 'string' } } });
    expect(await parse?.({ n: '7' })).toEqual({ ok: true, value: { n: 7 } });
  });

  test('of Zod says where an answer is wrong', async () => {
    const { parse } = readOutputSchema(schema);
    expect(await parse?.({ n: '12' })).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/^answer\/n /),
    });
  });

  test('whose transform throws does not match either', async () => {
    const fails = z.string().transform((): number => {
      throw new Error('not today');
    });
    const { parse } = readOutputSchema(fails);
    expect(await parse?.('x')).toEqual({ ok: false, problem: 'answer not today' });
  });

  test('that is a JSON Schema is used unchanged', () => {
    const json = { type: 'object' };
    expect(readOutputSchema(json)).toEqual({ json, parse: undefined });
  });

  test('that cannot be converted is refused', () => {
    const bare: StandardSchema = { '~standard': { validate: (value) => ({ value }) } };
    expect(() => readOutputSchema(bare)).toThrow(/Standard JSON Schema|JSON Schema/);
    expect(() => readOutputSchema(z.object({ at: z.date() }))).toThrow(
      expect.objectContaining({ code: 'usage' }),
    );
  });
});
