import { scryptSync } from 'node:crypto';
import type { Store } from '@baton/store';

const COST = { N: 2, r: 1, p: 1 };
const SALT = 'AAAA';

/** Gives a user a password whose hash costs nothing, for tests that guess often. */
export async function setCheapPassword(
  store: Store,
  name: string,
  password: string,
): Promise<void> {
  const hash = scryptSync(password, Buffer.from(SALT, 'base64url'), 32, COST).toString('base64url');
  const password_hash = ['scrypt', COST.N, COST.r, COST.p, SALT, hash].join('$');
  await store.records.users.update({ name }, { password_hash });
}
