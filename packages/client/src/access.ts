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

/** Logging in with a password or a link gives the token of a user; only the token of a task has none. */
async function userLogin(answer: Promise<Login>): Promise<Login & { user: UserRecord }> {
  const { accessToken, user } = await answer;
  if (user) return { accessToken, user };
  throw new BatonError('internal', 'The daemon returned a token without a user.');
}

/** The services that say who may come in, and what agents may do without asking. */
export function access(call: Call) {
  return {
    authentication: {
      /** Exchanges the secret of a one-time link for a token. */
      withLink: (secret: string) =>
        userLogin(call('authentication', 'create', { strategy: 'link', secret })),
      /** Exchanges a name and a password for a token. */
      withPassword: (name: string, password: string) =>
        userLogin(call('authentication', 'create', { strategy: 'password', name, password })),
      /** Makes the own token useless. */
      remove: () => call('authentication', 'remove', 'me'),
    },
    users: {
      /** Who is asking. */
      me: () => call('users', 'get', 'me'),
      /** Lists all users. */
      find: () => call('users', 'find', {}),
      /** Gives one user. */
      get: (id: string) => call('users', 'get', id),
      /** Adds a user, with a one-time link to log in with; owners only. */
      create: (user: NewUser) => call('users', 'create', user),
      /** Changes a user: the own password ("me"), or as an owner anything. */
      patch: (id: string, changes: UserPatch) => call('users', 'patch', id, changes),
      /** Makes a new one-time link for a user; owners only. */
      createLink: (id: string) => call('users', 'createLink', { user_id: id }),
    },
    tokens: {
      /** Lists the own tokens for scripts. */
      find: () => call('tokens', 'find', {}),
      /** Makes a token for scripts; its secret is shown this once. */
      create: (token: NewToken) => call('tokens', 'create', token),
      /** Makes a token useless. */
      remove: (id: string) => call('tokens', 'remove', id),
    },
    rules: {
      /** Lists rules, the newest first. */
      find: (query: RuleQuery = {}) => call('rules', 'find', query),
      /** Adds a rule; what waits and falls under it is settled at once. */
      create: (rule: NewRule) => call('rules', 'create', rule),
      /** Removes a rule: from then on a person is asked again. */
      remove: (id: string) => call('rules', 'remove', id),
    },
  };
}
