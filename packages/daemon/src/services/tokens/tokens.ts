import { BatonError } from '@baton/protocol';
import type { TokenRow } from '@baton/store';
import { z } from 'zod';
import { giveToken } from '../../access/give-token.ts';
import { lesserRole, type Principal, ROLES, type Role } from '../../access/principal.ts';
import type { DaemonContext } from '../../context.ts';
import { moment } from '../../records/record-of.ts';
import { method, type ServiceDefinition } from '../../service/definition.ts';

const tokenRecordSchema = z.object({
  token_id: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().nullable(),
  last_used_at: z.iso.datetime().nullable(),
  revoked_at: z.iso.datetime().nullable(),
});

/** The tokens of scripts; the secret of one is seen once, when it is made. */
export function tokens({ store }: DaemonContext): ServiceDefinition {
  const { tokens: table } = store.records;
  return {
    path: 'tokens',
    about: 'Tokens for scripts. The secret is shown once, when a token is made.',
    methods: {
      find: method({
        about: 'Lists the tokens of the caller.',
        allow: ['viewer'],
        result: z.array(tokenRecordSchema),
        async act({ principal }) {
          const where = { user_id: userOf(principal), kind: 'api' };
          return (await table.find({ where, orderBy: ['created_at', 'desc'] })).map(tokenRecord);
        },
      }),
      create: method({
        about: 'Makes a token that allows no more than its user, and no more than its role.',
        allow: ['viewer'],
        data: z.strictObject({
          name: z.string().trim().min(1).max(100),
          role: z.enum(ROLES).default('member'),
          life_days: z.number().positive().max(3650).optional(),
        }),
        result: tokenRecordSchema.extend({ secret: z.string() }),
        async act({ data, principal }) {
          if (principal.kind !== 'user') throw new BatonError('forbidden', 'You may not do this.');
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
      remove: method({
        about: 'Makes a token of the caller useless.',
        allow: ['viewer'],
        result: z.object({ token_id: z.string() }),
        async act({ id, principal }) {
          const where = { token_id: id, user_id: userOf(principal) };
          const removed = await table.update(where, { revoked_at: store.now() });
          if (removed === 0) throw new BatonError('not_found', `There is no token "${id}".`);
          return { token_id: id };
        },
      }),
    },
  };
}

function userOf(principal: Principal): string {
  return principal.kind === 'user' ? principal.userId : '';
}

function tokenRecord(row: TokenRow) {
  const [role] = JSON.parse(row.scopes) as Role[];
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
