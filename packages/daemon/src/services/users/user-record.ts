import type { UserRow } from '@baton/store';
import { z } from 'zod';
import { ROLES, type Role } from '../../access/principal.ts';
import { moment } from '../../records/record-of.ts';

/** A user as services show them. */
export const userRecordSchema = z.object({
  user_id: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  has_password: z.boolean(),
  disabled: z.boolean(),
  created_at: z.iso.datetime(),
});
export type UserRecord = z.infer<typeof userRecordSchema>;

/** Shows a user as services do: never with the password, not even its hash. */
export function userRecord(row: UserRow): UserRecord {
  return {
    user_id: row.user_id,
    name: row.name,
    role: row.role as Role,
    has_password: row.password_hash !== null,
    disabled: row.disabled === 1,
    created_at: moment(row.created_at),
  };
}
