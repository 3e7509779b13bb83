import { randomUUID } from 'node:crypto';
import type { Role } from '@baton/protocol/wire';
import type { Store, UserRow } from '@baton/store';
import { giveToken } from './give-token.ts';

const LINK_LIFE_MS = 24 * 60 * 60 * 1000;

/** Adds a user who has no password yet. */
export async function addUser(
  store: Store,
  { name, role }: { name: string; role: Role },
): Promise<UserRow> {
  return store.records.users.insert({
    user_id: randomUUID(),
    name,
    role,
    password_hash: null,
    disabled: 0,
    created_at: store.now(),
  });
}

/** Makes the secret of a link that lets a user in once. */
export async function linkFor(store: Store, user: UserRow): Promise<string> {
  const { secret } = await giveToken(store, {
    userId: user.user_id,
    name: 'One-time link',
    kind: 'link',
    role: user.role as Role,
    lifeMs: LINK_LIFE_MS,
  });
  return secret;
}
