import { BatonError } from '@baton/protocol';
import type { UserRecord } from '@baton/protocol/wire';
import type { Store, UserRow } from '@baton/store';
import { userRecord } from '../records/record-of.ts';
import { linkFor } from './add-user.ts';
import { giveToken, LOGIN_LIFE_MS } from './give-token.ts';

/** Logs in an owner with write access to the database, which permits everything anyway. */
export async function ownerLogin(
  store: Store,
): Promise<{ token: string; tokenId: string; user: UserRecord }> {
  const owner = await firstOwner(store);
  const { secret, row } = await giveToken(store, {
    userId: owner.user_id,
    name: 'Login from the shell',
    kind: 'login',
    role: 'owner',
    lifeMs: LOGIN_LIFE_MS,
  });
  return { token: secret, tokenId: row.token_id, user: userRecord(owner) };
}

/** Makes the secret of a link that lets an owner in once. */
export async function ownerLink(store: Store): Promise<string> {
  return linkFor(store, await firstOwner(store));
}

async function firstOwner(store: Store): Promise<UserRow> {
  const where = { role: 'owner', disabled: 0 };
  const [owner] = await store.records.users.find({
    where,
    orderBy: ['created_at', 'asc'],
    limit: 1,
  });
  if (owner) return owner;
  throw new BatonError('not_found', 'The database has no owner yet.', {
    hint: 'Start the daemon once with "baton serve" to create one.',
  });
}
