import { BatonError } from '@baton/protocol';
import type { Store, UserRow } from '@baton/store';
import { z } from 'zod';
import { giveToken, LOGIN_LIFE_MS, useLink } from '../../access/give-token.ts';
import type { Role } from '../../access/principal.ts';
import { refusal } from '../../access/refusal.ts';
import type { DaemonContext } from '../../context.ts';
import { isPassword } from '../../security/password.ts';
import { MAX_LOGIN_BYTES } from '../../service/body-limits.ts';
import { method, type ServiceDefinition } from '../../service/definition.ts';
import { type UserRecord, userRecord, userRecordSchema } from '../users/user-record.ts';
import { LoginLimits } from './login-limits.ts';

const credentialsSchema = z.discriminatedUnion('strategy', [
  z.strictObject({
    strategy: z.literal('password'),
    name: z.string().max(200),
    password: z.string().max(1000),
  }),
  z.strictObject({ strategy: z.literal('link'), secret: z.string().max(200) }),
  z.strictObject({ strategy: z.literal('jwt'), accessToken: z.string().max(4000) }),
]);
type Credentials = z.output<typeof credentialsSchema>;
type LoginCredentials = Exclude<Credentials, { strategy: 'jwt' }>;

type LoggedIn = { accessToken: string; user: UserRecord | null };

/** Lets users in. */
export function authentication(context: DaemonContext): ServiceDefinition {
  const { store, authenticator } = context;
  const limits = new LoginLimits(store.now);

  /** Exchanges a password or a link for a new token. */
  const logIn = async (data: LoginCredentials, address: string): Promise<LoggedIn> => {
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
  const lookAt = async (accessToken: string, address: string): Promise<LoggedIn> => {
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
    about: 'Lets users in and out.',
    methods: {
      create: method({
        about:
          'Exchanges a name and a password, or a one-time link, for a token; or shows a token (`jwt`), also that of a task, and gets it back. A WebSocket connection acts with that token from then on.',
        allow: ['anyone'],
        maxBytes: MAX_LOGIN_BYTES,
        data: credentialsSchema,
        result: z.object({ accessToken: z.string(), user: userRecordSchema.nullable() }),
        async act({ data, address = '', connection }) {
          const login =
            data.strategy === 'jwt'
              ? await lookAt(data.accessToken, address)
              : await logIn(data, address);
          if (connection) await context.showToken(connection, login.accessToken);
          return login;
        },
      }),
      remove: method({
        about: 'Makes the token of the caller useless.',
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
    ? new BatonError('unauthenticated', 'This link was used already, or is too old.', {
        hint: 'Ask an owner for a new one.',
      })
    : new BatonError('unauthenticated', 'The name or the password is wrong.');
}
