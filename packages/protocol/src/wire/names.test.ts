import { expect, test } from 'vitest';
import { z } from 'zod';
import type { MethodWire } from './service.ts';
import { WIRE } from './wire.ts';

/** Fields whose values use the protocol's own types, which have camelCase names everywhere. */
const VOCABULARY = new Set([
  'answer',
  'capabilities',
  'changing',
  'entries',
  'error',
  'events',
  'options',
  'probe',
  'prompts',
  'request',
  'usage',
]);
/** Methods that return such a type itself: a probe, and the trust in a folder. */
const GIVES_VOCABULARY = ['backends.test.result', 'trusted-folders.check.result'];
/** Fields that Feathers clients send and expect. */
const OF_FEATHERS = ['accessToken'];

type JsonSchema = { properties?: Record<string, JsonSchema> } & Record<string, unknown>;

/** Returns the paths of all fields whose names are not in snake_case. */
function misnamed(schema: unknown, place: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  if (Array.isArray(schema)) return schema.flatMap((each) => misnamed(each, place));
  return Object.entries(schema as JsonSchema).flatMap(([key, value]) => {
    if (key !== 'properties') return misnamed(value, place);
    return Object.entries(value as Record<string, JsonSchema>).flatMap(([name, field]) => {
      if (!/^[a-z]+(_[a-z]+)*$/.test(name) && !OF_FEATHERS.includes(name)) {
        return [`${place}.${name}`];
      }
      return VOCABULARY.has(name) ? [] : misnamed(field, `${place}.${name}`);
    });
  });
}

test('the fields of requests and responses are in snake_case', () => {
  const found = Object.entries(WIRE).flatMap(([service, methods]) =>
    Object.entries(methods).flatMap(([method, wire]: [string, MethodWire]) =>
      (['data', 'query', 'result'] as const).flatMap((part) => {
        const place = `${service}.${method}.${part}`;
        const schema = wire[part];
        if (!schema || GIVES_VOCABULARY.includes(place)) return [];
        const io = part === 'result' ? 'output' : 'input';
        return misnamed(z.toJSONSchema(schema, { io, unrepresentable: 'any' }), place);
      }),
    ),
  );
  expect(found).toEqual([]);
});
