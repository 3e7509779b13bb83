import { randomUUID } from 'node:crypto';
import type { Role } from '@baton/protocol/wire';
import type { Store, TokenRow } from '@baton/store';
import { hashOfToken, newSecretToken } from '../security/secret-token.ts';

/** Lifetime of a login. */
export const LOGIN_LIFE_MS = 30 * 24 * 60 * 60 * 1000;

export type NewToken = {
  userId: string;
  name: string;
  /** `api` for scripts, `login` for a browser, `link` to be exchanged once for a login. */
  kind: 'api' | 'login' | 'link';
  /** It allows no more than this. */
  role: Role;
  lifeMs?: number | undefined;
};

/** Creates a token and returns its secret, which is not stored and cannot be shown again. */
export async function giveToken(
  store: Store,
  { userId, name, kind, role, lifeMs }: NewToken,
): Promise<{ secret: string; row: TokenRow }> {
  const secret = newSecretToken();
  const now = store.now();
  const row = await store.records.tokens.insert({
    token_id: randomUUID(),
    user_id: userId,
    name,
    kind,
    hash: hashOfToken(secret),
    scopes: JSON.stringify([role]),
    created_at: now,
    expires_at: lifeMs === undefined ? null : now + lifeMs,
    last_used_at: null,
    revoked_at: null,
  });
  return { secret, row };
}

/** Exchanges a one-time link for its user's id; undefined if it was used or has expired. */
export async function useLink(store: Store, secret: string): Promise<string | undefined> {
  const { tokens } = store.records;
  const now = store.now();
  const hash = hashOfToken(secret);
  const [row] = await tokens.find({ where: { hash, kind: 'link' }, limit: 1 });
  if (!row || (row.expires_at !== null && now >= row.expires_at)) return undefined;
  // The first caller to mark it wins.
  const marked = await tokens.update({ hash, revoked_at: null }, { revoked_at: now });
  return marked === 1 ? row.user_id : undefined;
}
