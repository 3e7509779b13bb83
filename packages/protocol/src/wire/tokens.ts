import { z } from 'zod';
import { momentSchema } from '../records/session-record.ts';
import type { ServiceWire } from './service.ts';
import { ROLES } from './users.ts';

/** A token for scripts, without its secret. */
const tokenRecordSchema = z.object({
  token_id: z.string(),
  name: z.string(),
  /** A token never allows more than its user may do. */
  role: z.enum(ROLES),
  created_at: momentSchema,
  /** Null when it does not expire. */
  expires_at: momentSchema.nullable(),
  last_used_at: momentSchema.nullable(),
  revoked_at: momentSchema.nullable(),
});
export type TokenRecord = z.output<typeof tokenRecordSchema>;

const newTokenSchema = z.strictObject({
  name: z.string().trim().min(1).max(100),
  role: z.enum(ROLES).default('member'),
  /** Omit it for a token that does not expire. */
  life_days: z.number().positive().max(3650).optional(),
});
export type NewToken = z.input<typeof newTokenSchema>;

export const tokensWire = {
  find: { result: z.array(tokenRecordSchema) },
  create: { data: newTokenSchema, result: tokenRecordSchema.extend({ secret: z.string() }) },
  remove: { result: z.object({ token_id: z.string() }) },
} as const satisfies ServiceWire;
