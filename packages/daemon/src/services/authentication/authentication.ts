import { BatonError } from '@baton/protocol';
import { authenticationWire, type Credentials, type Login, type Role } from '@baton/protocol/wire';
import type { Store, UserRow } from '@baton/store';
import { giveToken, LOGIN_LIFE_MS, useLink } from '../../access/give-token.ts';
import { refusal } from '../../access/refusal.ts';
import type { DaemonContext } from '../../context.ts';
import { userRecord } from '../../records/record-of.ts';
import { isPassword } from '../../security/password.ts';
import { MAX_LOGIN_BYTES } from '../../service/body-limits.ts';
import { method, type ServiceOf } from '../../service/definition.ts';
import { LoginLimits } from './login-limits.ts';

type LoginCredentials = Exclude<Credentials, { strategy: 'jwt' }>;

/** Lets users in. */
export function authentication(context: DaemonContext): ServiceOf<'authentication'> {
  const { store, authenticator } = context;
  const limits = new LoginLimits(store.now);

  /** Exchanges a password or a link for a new token. */
  const logIn = async (data: LoginCredentials, address: string): Promise<Login> => {
    if (data.strategy === 'password') limits.countPassword(address, data.name);
    const user = await userWith(store, data);
    if (!user || user.disabled) {
      if (data.strategy === 'link') limits.countWrongSecret(address);
      throw refused(data);
    }
    if (data.strategy === 'password') limits.loggedIn(address, data.name);
    const { secret } = await giveToken(store, {
      userId: user.user_id,
      name: 'Login',
      kind: 'login',
      role: user.role as Role,
      lifeMs: LOGIN_LIFE_MS,
    });
    return { accessToken: secret, user: userRecord(user) };
  };

  /** Tells whose token it is; an executor acts for its task and not for a user. */
  const lookAt = async (accessToken: string, address: string): Promise<Login> => {
    const principal = await authenticator.whoShows(accessToken);
    if (principal.kind === 'expired executor') throw refusal(principal);
    if (principal.kind === 'executor') return { accessToken, user: null };
    const user = principal.kind === 'user' && (await store.records.users.get(principal.userId));
    if (user) return { accessToken, user: userRecord(user) };
    limits.countWrongSecret(address);
    throw new BatonError('unauthenticated', 'The token is unknown, revoked or expired.');
  };

  return {
    path: 'authentication',
    about: 'Logs users in and out.',
    methods: {
      create: method(authenticationWire.create, {
        about:
          'Exchanges a name and password or a one-time link for a token. With strategy `jwt`, validates a user or task token and returns it. A WebSocket connection is authenticated with that token from then on.',
        allow: ['anyone'],
        maxBytes: MAX_LOGIN_BYTES,
        async act({ data, address = '', connection }) {
          const login =
            data.strategy === 'jwt'
              ? await lookAt(data.accessToken, address)
              : await logIn(data, address);
          if (connection) await context.showToken(connection, login.accessToken);
          return login;
        },
      }),
      remove: method(authenticationWire.remove, {
        about: "Revokes the caller's token.",
        allow: ['viewer'],
        async act({ principal }) {
          if (principal.kind !== 'user') return {};
          const { tokenId } = principal;
          await store.records.tokens.update({ token_id: tokenId }, { revoked_at: store.now() });
          return {};
        },
      }),
    },
  };
}

async function userWith(store: Store, data: LoginCredentials): Promise<UserRow | undefined> {
  const { users } = store.records;
  if (data.strategy === 'link') {
    const userId = await useLink(store, data.secret);
    return userId === undefined ? undefined : users.get(userId);
  }
  const [user] = await users.find({ where: { name: data.name }, limit: 1 });
  // Compared even when there is no such user, so that the time does not tell.
  return (await isPassword(data.password, user?.password_hash)) ? user : undefined;
}

function refused({ strategy }: LoginCredentials): BatonError {
  return strategy === 'link'
    ? new BatonError('unauthenticated', 'This link has already been used or has expired.', {
        hint: 'Ask an owner for a new one.',
      })
    : new BatonError('unauthenticated', 'Incorrect name or password.');
}
