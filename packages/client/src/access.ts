import { BatonError } from '@baton/protocol';
import type {
  Login,
  NewRule,
  NewToken,
  NewUser,
  RuleQuery,
  UserPatch,
  UserRecord,
} from '@baton/protocol/wire';
import type { Call } from './call.ts';

/** Checks that a login with a password or a link returned a user; only task tokens have none. */
async function userLogin(answer: Promise<Login>): Promise<Login & { user: UserRecord }> {
  const { accessToken, user } = await answer;
  if (user) return { accessToken, user };
  throw new BatonError('internal', 'The daemon returned a token without a user.');
}

/** The services for authentication, users, tokens and rules. */
export function access(call: Call) {
  return {
    authentication: {
      /** Exchanges the secret of a one-time link for a token. */
      withLink: (secret: string) =>
        userLogin(call('authentication', 'create', { strategy: 'link', secret })),
      /** Exchanges a name and a password for a token. */
      withPassword: (name: string, password: string) =>
        userLogin(call('authentication', 'create', { strategy: 'password', name, password })),
      /** Revokes the caller's own token. */
      remove: () => call('authentication', 'remove', 'me'),
    },
    users: {
      /** Returns the current user. */
      me: () => call('users', 'get', 'me'),
      /** Lists all users. */
      find: () => call('users', 'find', {}),
      /** Returns one user. */
      get: (id: string) => call('users', 'get', id),
      /** Adds a user and returns a one-time link to log in with; owners only. */
      create: (user: NewUser) => call('users', 'create', user),
      /** Changes a user: one's own password (`me`), or anything for owners. */
      patch: (id: string, changes: UserPatch) => call('users', 'patch', id, changes),
      /** Creates a new one-time link for a user; owners only. */
      createLink: (id: string) => call('users', 'createLink', { user_id: id }),
    },
    tokens: {
      /** Lists the caller's own tokens for scripts. */
      find: () => call('tokens', 'find', {}),
      /** Creates a token for scripts; its secret is returned only once. */
      create: (token: NewToken) => call('tokens', 'create', token),
      /** Revokes a token. */
      remove: (id: string) => call('tokens', 'remove', id),
    },
    rules: {
      /** Lists rules, the newest first. */
      find: (query: RuleQuery = {}) => call('rules', 'find', query),
      /** Adds a rule and settles the pending requests that it matches. */
      create: (rule: NewRule) => call('rules', 'create', rule),
      /** Removes a rule: matching requests need an answer again. */
      remove: (id: string) => call('rules', 'remove', id),
    },
  };
}
