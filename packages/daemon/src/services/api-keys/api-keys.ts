import { BatonError } from '@baton/protocol';
import { apiKeysWire } from '@baton/protocol/wire';
import type { ApiKeyRow } from '@baton/store';
import { checkOwner } from '../../access/check-owner.ts';
import type { Principal } from '../../access/principal.ts';
import { refusal } from '../../access/refusal.ts';
import type { DaemonContext } from '../../context.ts';
import { moment } from '../../records/record-of.ts';
import { method, type ServiceOf } from '../../service/definition.ts';

const SHARED = "A shared key is available to everyone's tasks.";

/** API keys that agents use for their providers; values cannot be read back. */
export function apiKeys({ store, box }: DaemonContext): ServiceOf<'api-keys'> {
  const { apiKeys: table } = store.records;
  return {
    path: 'api-keys',
    about: 'API keys that agents use for their providers. Values cannot be read back.',
    methods: {
      find: method(apiKeysWire.find, {
        about: "Lists the caller's keys and the shared keys, without their values.",
        allow: ['viewer'],
        async act({ principal }) {
          const own = await table.find({ where: { user_id: userOf(principal) } });
          const shared = await table.find({ where: { user_id: null } });
          return [...own, ...shared].map(keyRecord);
        },
      }),
      create: method(apiKeysWire.create, {
        about:
          'Stores a key, encrypted, and replaces a key of the same name. Owners can share keys.',
        allow: ['member'],
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
      remove: method(apiKeysWire.remove, {
        about: 'Deletes a key of the caller, or, for owners, a shared key.',
        allow: ['member'],
        async act({ id, principal }) {
          const row = await table.get(id);
          const isOthers = row && row.user_id !== null && row.user_id !== userOf(principal);
          if (!row || isOthers) throw new BatonError('not_found', `Key "${id}" not found.`);
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
