import type { Role } from '@baton/protocol/wire';
import type { Store, TokenRow, UserRow } from '@baton/store';
import { hashOfToken, isSecretToken } from '../security/secret-token.ts';
import type { TaskTokens } from '../security/task-token.ts';
import { lesserRole, NOBODY, type Principal } from './principal.ts';

/** The use of a token is noted at most this often. */
const NOTED_EVERY_MS = 60_000;

/** Identifies the caller by a token: a user, an executor, or anonymous. */
export class Authenticator {
  #store: Store;
  #taskTokens: TaskTokens;

  constructor(store: Store, taskTokens: TaskTokens) {
    this.#store = store;
    this.#taskTokens = taskTokens;
  }

  async whoShows(token: string | undefined): Promise<Principal> {
    if (!token) return NOBODY;
    if (isSecretToken(token)) return this.#user(token);
    const claims = await this.#taskTokens.verify(token);
    return claims ? { kind: 'executor', claims } : this.#expired(token);
  }

  /** The token of an executor could not be renewed while the daemon was down. */
  async #expired(token: string): Promise<Principal> {
    const claims = await this.#taskTokens.verifyExpired(token);
    const lease = claims && (await this.#store.leases.get(claims.taskId));
    if (!claims || !lease) return NOBODY;
    const isHolder = lease.fence === claims.fence && lease.executor_id === claims.executorId;
    return isHolder ? { kind: 'expired executor', claims } : NOBODY;
  }

  async #user(token: string): Promise<Principal> {
    const { tokens, users } = this.#store.records;
    const [row] = await tokens.find({ where: { hash: hashOfToken(token) }, limit: 1 });
    if (!row || row.kind === 'link' || !isGood(row, this.#store.now())) return NOBODY;
    const user = await users.get(row.user_id);
    if (!user || user.disabled) return NOBODY;
    // A database that takes nothing more can still be read.
    await this.#note(row).catch(() => {});
    return {
      kind: 'user',
      userId: user.user_id,
      role: roleOf(user, row),
      tokenId: row.token_id,
    };
  }

  async #note({ token_id, last_used_at }: TokenRow): Promise<void> {
    const now = this.#store.now();
    if (last_used_at !== null && now - last_used_at < NOTED_EVERY_MS) return;
    await this.#store.records.tokens.update({ token_id }, { last_used_at: now });
  }
}

/** A login has the current role of its user; a token for scripts at most the role it was created with. */
function roleOf(user: UserRow, { kind, scopes }: TokenRow): Role {
  if (kind === 'login') return user.role as Role;
  const [scope = 'viewer'] = JSON.parse(scopes) as Role[];
  return lesserRole(user.role as Role, scope);
}

/** True if a token is neither revoked nor expired. */
export function isGood({ revoked_at, expires_at }: TokenRow, now: number): boolean {
  return revoked_at === null && (expires_at === null || now < expires_at);
}
