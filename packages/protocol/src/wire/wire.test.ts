import { expectTypeOf, test } from 'vitest';
import type { Entry } from '../transcript/entry.ts';
import type { NewTask } from './sessions.ts';
import type { DataOf, QueryOf, ResultOf } from './wire.ts';

test('a field with a default is optional in requests and present in responses', () => {
  expectTypeOf<DataOf<'tokens', 'create'>['role']>().toEqualTypeOf<
    'viewer' | 'member' | 'owner' | undefined
  >();
  expectTypeOf<ResultOf<'tokens', 'create'>['role']>().toEqualTypeOf<
    'viewer' | 'member' | 'owner'
  >();
});

test('numbers of a query are numbers for callers, although HTTP sends text', () => {
  expectTypeOf<QueryOf<'sessions', 'find'>['limit']>().toEqualTypeOf<number | undefined>();
});

test('a misspelt field is a type error', () => {
  // @ts-expect-error: the field is called prompt
  const wrong: NewTask = { prompt: 'Hi', promt: 'Hi' };
  // @ts-expect-error: the field is called session_id
  type Wrong = ResultOf<'sessions', 'get'>['sessionId'];
  expectTypeOf(wrong).toExtend<object>();
  expectTypeOf<Wrong>().toBeAny();
});

test('requests and entries have the types of the vocabulary', () => {
  type Request = ResultOf<'permissions', 'find'>['data'][number];
  expectTypeOf<Extract<Request, { kind: 'permission' }>['request']['tool']>().toBeString();
  expectTypeOf<ResultOf<'transcript', 'find'>['entries']>().toExtend<Entry[]>();
});
