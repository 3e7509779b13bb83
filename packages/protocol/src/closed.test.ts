import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { Closed } from './closed.ts';
import type { AgentEvent, EventOf, EventType } from './event.ts';
import type { Usage } from './usage.ts';

const loose = z.looseObject({
  name: z.string(),
  age: z.number().optional(),
  inner: z.looseObject({ list: z.array(z.looseObject({ word: z.enum(['a', 'b']) })) }),
  map: z.record(z.string(), z.number()),
  any: z.unknown(),
  maybe: z.union([z.string(), z.null()]),
});

test('only the named fields of a loose object are left, all the way down', () => {
  expectTypeOf<Closed<z.infer<typeof loose>>>().toEqualTypeOf<{
    name: string;
    age?: number | undefined;
    inner: { list: { word: 'a' | 'b' }[] };
    map: Record<string, number>;
    any: unknown;
    maybe: string | null;
  }>();
});

test('a misspelt field of an event is a type error', () => {
  const usage: Usage = { inputTokens: 1 };
  // @ts-expect-error: the field is called inputTokens
  const wrong: Usage = { inputTokns: 1 };
  expectTypeOf(usage).toEqualTypeOf(wrong);
  // @ts-expect-error: the field is called text
  expectTypeOf<EventOf<'message.delta'>>().toHaveProperty('txt');
});

test('narrows an event by its type', () => {
  expectTypeOf<EventOf<'message.delta'>['text']>().toEqualTypeOf<string>();
  expectTypeOf<EventOf<'tool.completed'>['outcome']>().toEqualTypeOf<
    'ok' | 'error' | 'denied' | 'cancelled'
  >();
  expectTypeOf<AgentEvent['type']>().toEqualTypeOf<EventType>();
  expectTypeOf<EventOf<'notice'>['code']>().toExtend<string>();
  expectTypeOf<EventType>().not.toEqualTypeOf<string>();
});
