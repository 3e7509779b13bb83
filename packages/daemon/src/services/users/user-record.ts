import type { UserRow } from '@baton/store';
import type { Role } from '../../access/principal.ts';
import { moment } from '../../records/record-of.ts';

export type UserRecord = {
  user_id: string;
  name: string;
  role: Role;
  has_password: boolean;
  disabled: boolean;
  created_at: string;
};

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
