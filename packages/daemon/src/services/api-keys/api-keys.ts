import { BatonError } from '@baton/protocol';
import type { ApiKeyRow } from '@baton/store';
import { z } from 'zod';
import type { Principal } from '../../access/principal.ts';
import { refusal } from '../../access/refusal.ts';
import type { DaemonContext } from '../../context.ts';
import { moment } from '../../records/record-of.ts';
import { method, type ServiceDefinition } from '../../service/definition.ts';
import { checkOwner } from '../check-owner.ts';

const SHARED = 'A shared key is for the agents of everybody.';

const nameSchema = z
  .string()
  .max(100)
  .regex(/^[A-Z][A-Z0-9_]*$/, 'must be the name of a variable, like ANTHROPIC_API_KEY');
const valueSchema = z
  .string()
  .trim()
  .min(1, 'is empty')
  .max(10_000)
  .regex(/^[^\0\r\n]*$/, 'must be one line');

const keyRecordSchema = z.looseObject({
  key_id: z.string(),
  name: z.string(),
  shared: z.boolean(),
  user_id: z.string().nullable(),
  created_at: z.iso.datetime(),
});

/** The keys that agents need for their providers; nobody gets to see a value again. */
export function apiKeys({ store, box }: DaemonContext): ServiceDefinition {
  const { apiKeys: table } = store.records;
  return {
    path: 'api-keys',
    about: 'The keys that agents need for their providers. Nobody gets to see a value again.',
    methods: {
      find: method({
        about:
          'Lists the keys of the caller and those that everybody shares, without their values.',
        allow: ['viewer'],
        result: z.array(keyRecordSchema),
        async act({ principal }) {
          const own = await table.find({ where: { user_id: userOf(principal) } });
          const shared = await table.find({ where: { user_id: null } });
          return [...own, ...shared].map(keyRecord);
        },
      }),
      create: method({
        about:
          'Keeps a key, encrypted, in place of the one with the same name; owners may share it.',
        allow: ['member'],
        data: z.strictObject({
          name: nameSchema,
          value: valueSchema,
          shared: z.boolean().default(false),
        }),
        result: keyRecordSchema,
        async act({ data: { name, value, shared }, principal }) {
          const userId = userOf(principal);
          if (shared) checkOwner(principal, SHARED);
          const key_id = keyId(shared ? null : userId, name);
          const row = await table.put({
            key_id,
            user_id: shared ? null : userId,
            name,
            sealed: box.seal(value, key_id),
            created_at: store.now(),
          });
          return keyRecord(row);
        },
      }),
      remove: method({
        about: 'Removes a key of the caller, or as an owner a shared one.',
        allow: ['member'],
        result: z.object({ key_id: z.string() }),
        async act({ id, principal }) {
          const row = await table.get(id);
          const isOthers = row && row.user_id !== null && row.user_id !== userOf(principal);
          if (!row || isOthers) throw new BatonError('not_found', `There is no key "${id}".`);
          if (row.user_id === null) checkOwner(principal, SHARED);
          await table.remove({ key_id: id });
          return { key_id: id };
        },
      }),
    },
  };
}

/** One for each user and name: so a new one takes the place of the old one. */
function keyId(userId: string | null, name: string): string {
  return `${userId ?? 'shared'}.${name}`;
}

function userOf(principal: Principal): string {
  if (principal.kind === 'user') return principal.userId;
  throw refusal(principal);
}

function keyRecord({ key_id, name, user_id, created_at }: ApiKeyRow) {
  return { key_id, name, shared: user_id === null, user_id, created_at: moment(created_at) };
}
