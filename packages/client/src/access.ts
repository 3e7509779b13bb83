import type {
  LinkSecret,
  Login,
  NewRule,
  NewToken,
  NewUser,
  RuleQuery,
  RuleRecord,
  TokenRecord,
  UserPatch,
  UserRecord,
} from './access-records.ts';
import type { Call } from './administration.ts';
import type { Page } from './records.ts';

/** The services that say who may come in, and what agents may do without asking. */
export function access(call: Call) {
  return {
    authentication: {
      /** Exchanges the secret of a one-time link for a token. */
      withLink: (secret: string) =>
        call<Login>('authentication', 'create', { strategy: 'link', secret }),
      /** Exchanges a name and a password for a token. */
      withPassword: (name: string, password: string) =>
        call<Login>('authentication', 'create', { strategy: 'password', name, password }),
      /** Makes the own token useless. */
      remove: () => call<object>('authentication', 'remove', 'me'),
    },
    users: {
      /** Who is asking. */
      me: () => call<UserRecord>('users', 'get', 'me'),
      /** Lists all users. */
      find: () => call<UserRecord[]>('users', 'find', {}),
      /** Gives one user. */
      get: (id: string) => call<UserRecord>('users', 'get', id),
      /** Adds a user, with a one-time link to log in with; owners only. */
      create: (user: NewUser) => call<UserRecord & LinkSecret>('users', 'create', user),
      /** Changes a user: the own password ("me"), or as an owner anything. */
      patch: (id: string, changes: UserPatch) => call<UserRecord>('users', 'patch', id, changes),
      /** Makes a new one-time link for a user; owners only. */
      createLink: (id: string) => call<LinkSecret>('users', 'createLink', { user_id: id }),
    },
    tokens: {
      /** Lists the own tokens for scripts. */
      find: () => call<TokenRecord[]>('tokens', 'find', {}),
      /** Makes a token for scripts; its secret is shown this once. */
      create: (token: NewToken) =>
        call<TokenRecord & { secret: string }>('tokens', 'create', token),
      /** Makes a token useless. */
      remove: (id: string) => call<{ token_id: string }>('tokens', 'remove', id),
    },
    rules: {
      /** Lists rules, the newest first. */
      find: (query: RuleQuery = {}) => call<Page<RuleRecord>>('rules', 'find', query),
      /** Adds a rule; what waits and falls under it is settled at once. */
      create: (rule: NewRule) => call<RuleRecord>('rules', 'create', rule),
      /** Removes a rule: from then on a person is asked again. */
      remove: (id: string) => call<{ rule_id: string }>('rules', 'remove', id),
    },
  };
}
