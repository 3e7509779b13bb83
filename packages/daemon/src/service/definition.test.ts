import { tokensWire } from '@baton/protocol/wire';
import { expectTypeOf, test } from 'vitest';
import { method } from './definition.ts';

const TOKEN = {
  token_id: 't',
  name: 'CI',
  role: 'member' as const,
  created_at: '2026-01-31T00:00:00.000Z',
  expires_at: null,
  last_used_at: null,
  revoked_at: null,
};
const same = { about: 'Makes a token.', allow: ['viewer' as const] };

test('a method gets its data with the types of the wire', () => {
  method(tokensWire.create, {
    ...same,
    async act({ data, query }) {
      expectTypeOf(data.life_days).toEqualTypeOf<number | undefined>();
      expectTypeOf(query).toEqualTypeOf<undefined>();
      return { ...TOKEN, secret: 's' };
    },
  });
});

test('a result that does not fit the wire is a type error', () => {
  method(tokensWire.create, {
    ...same,
    // @ts-expect-error: the secret is missing
    act: async () => TOKEN,
  });
});
