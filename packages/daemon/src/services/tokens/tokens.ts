import { BatonError } from '@baton/protocol';
import { type Role, type TokenRecord, tokensWire } from '@baton/protocol/wire';
import type { TokenRow } from '@baton/store';
import { giveToken } from '../../access/give-token.ts';
import { lesserRole, type Principal } from '../../access/principal.ts';
import type { DaemonContext } from '../../context.ts';
import { moment } from '../../records/record-of.ts';
import { method, type ServiceOf } from '../../service/definition.ts';

/** The tokens of scripts; the secret of one is seen once, when it is made. */
export function tokens({ store }: DaemonContext): ServiceOf<'tokens'> {
  const { tokens: table } = store.records;
  return {
    path: 'tokens',
    about: 'API tokens for scripts. The secret is returned once, on creation.',
    methods: {
      find: method(tokensWire.find, {
        about: 'Lists the tokens of the caller.',
        allow: ['viewer'],
        async act({ principal }) {
          const where = { user_id: userOf(principal), kind: 'api' };
          return (await table.find({ where, orderBy: ['created_at', 'desc'] })).map(tokenRecord);
        },
      }),
      create: method(tokensWire.create, {
        about: 'Creates a token with the given role, limited to the permissions of its user.',
        allow: ['viewer'],
        async act({ data, principal }) {
          if (principal.kind !== 'user')
            throw new BatonError('forbidden', 'You do not have permission to do this.');
          const { secret, row } = await giveToken(store, {
            userId: principal.userId,
            name: data.name,
            kind: 'api',
            role: lesserRole(data.role, principal.role),
            lifeMs: data.life_days === undefined ? undefined : data.life_days * 86_400_000,
          });
          return { ...tokenRecord(row), secret };
        },
      }),
      remove: method(tokensWire.remove, {
        about: 'Revokes a token of the caller.',
        allow: ['viewer'],
        async act({ id, principal }) {
          const where = { token_id: id, user_id: userOf(principal) };
          const removed = await table.update(where, { revoked_at: store.now() });
          if (removed === 0) throw new BatonError('not_found', `Token "${id}" not found.`);
          return { token_id: id };
        },
      }),
    },
  };
}

function userOf(principal: Principal): string {
  return principal.kind === 'user' ? principal.userId : '';
}

function tokenRecord(row: TokenRow): TokenRecord {
  const [role] = JSON.parse(row.scopes) as [Role];
  const when = (time: number | null) => (time === null ? null : moment(time));
  return {
    token_id: row.token_id,
    name: row.name,
    role,
    created_at: moment(row.created_at),
    expires_at: when(row.expires_at),
    last_used_at: when(row.last_used_at),
    revoked_at: when(row.revoked_at),
  };
}
