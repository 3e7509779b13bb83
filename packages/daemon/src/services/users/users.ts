import { BatonError } from '@baton/protocol';
import { type Role, usersWire } from '@baton/protocol/wire';
import type { Store, UserRow } from '@baton/store';
import { addUser, linkFor } from '../../access/add-user.ts';
import type { Principal } from '../../access/principal.ts';
import type { DaemonContext } from '../../context.ts';
import { userRecord } from '../../records/record-of.ts';
import { hashPassword, isPassword } from '../../security/password.ts';
import { method, type ServiceOf } from '../../service/definition.ts';

/** The users of the daemon. */
export function users({ store, changeNotifications }: DaemonContext): ServiceOf<'users'> {
  const { users: table } = store.records;
  return {
    path: 'users',
    about: 'The users of the daemon.',
    methods: {
      find: method(usersWire.find, {
        about: 'Lists all users.',
        allow: ['viewer'],
        act: async () => (await table.find({ orderBy: ['name', 'asc'] })).map(userRecord),
      }),
      get: method(usersWire.get, {
        about: 'Returns one user; "me" is the caller.',
        allow: ['viewer'],
        act: async ({ id, principal }) => userRecord(await existing(store, own(id, principal))),
      }),
      create: method(usersWire.create, {
        about: 'Adds a user and returns a one-time login link.',
        allow: ['owner'],
        async act({ data }) {
          await checkFree(store, data.name);
          const row = await addUser(store, data);
          return { ...userRecord(row), link_secret: await linkFor(store, row) };
        },
      }),
      patch: method(usersWire.patch, {
        about: 'Updates a user. Users can change their own password; owners can change everything.',
        allow: ['viewer'],
        async act({ id, data, principal }) {
          const user = await existing(store, own(id, principal));
          const { password, current_password, disabled, ...same } = data;
          checkMayChange(user, { password, disabled, ...same }, principal);
          if (password !== undefined) await checkCurrent(user, current_password, principal);
          await checkOwnerLeft(store, user, data);
          if (same.name !== undefined && same.name !== user.name) await checkFree(store, same.name);
          await table.update(
            { user_id: user.user_id },
            {
              ...same,
              ...(disabled === undefined ? {} : { disabled: Number(disabled) }),
              ...(password === undefined ? {} : { password_hash: await hashPassword(password) }),
            },
          );
          if (password !== undefined) await endOtherLogins(store, user, principal);
          changeNotifications.peopleChanged();
          return userRecord(await existing(store, user.user_id));
        },
      }),
      createLink: method(usersWire.createLink, {
        about: 'Creates a one-time login link for a user.',
        allow: ['owner'],
        act: async ({ data }) => ({
          link_secret: await linkFor(store, await existing(store, data.user_id)),
        }),
      }),
    },
  };
}

function own(id: string, principal: Principal): string {
  return id === 'me' && principal.kind === 'user' ? principal.userId : id;
}

async function existing(store: Store, id: string): Promise<UserRow> {
  const user = await store.records.users.get(id);
  if (user) return user;
  throw new BatonError('not_found', `User "${id}" not found.`);
}

async function checkFree(store: Store, name: string): Promise<void> {
  const [taken] = await store.records.users.find({ where: { name }, limit: 1 });
  if (!taken) return;
  throw new BatonError('conflict', `A user named "${name}" already exists.`, {
    hint: 'Choose another name.',
  });
}

function checkMayChange(user: UserRow, changes: object, principal: Principal): void {
  if (principal.kind !== 'user')
    throw new BatonError('forbidden', 'You do not have permission to do this.');
  if (principal.role === 'owner') return;
  const named = Object.entries(changes).filter(([, value]) => value !== undefined);
  // A token that allows less than its user must not be a way to allow more.
  const isOwnPassword =
    principal.userId === user.user_id &&
    principal.role === user.role &&
    named.every(([key]) => key === 'password');
  if (!isOwnPassword) throw new BatonError('forbidden', 'Only owners can change this.');
}

async function checkCurrent(
  user: UserRow,
  given: string | undefined,
  principal: Principal,
): Promise<void> {
  const isOwn = principal.kind === 'user' && principal.userId === user.user_id;
  if (!isOwn || user.password_hash === null) return;
  if (await isPassword(given ?? '', user.password_hash)) return;
  throw new BatonError('forbidden', 'The current password is wrong.', {
    hint: 'Send it as current_password, or ask an owner for a one-time link.',
  });
}

/** All other logins of this user end. */
async function endOtherLogins(store: Store, user: UserRow, principal: Principal): Promise<void> {
  const own = principal.kind === 'user' ? principal.tokenId : '';
  const where = { user_id: user.user_id, kind: 'login', revoked_at: null };
  for (const { token_id } of await store.records.tokens.find({ where })) {
    if (token_id === own) continue;
    await store.records.tokens.update({ token_id }, { revoked_at: store.now() });
  }
}

/** One owner who can log in must remain. */
async function checkOwnerLeft(
  store: Store,
  user: UserRow,
  { role, disabled }: { role?: Role | undefined; disabled?: boolean | undefined },
): Promise<void> {
  const losesIt = (role !== undefined && role !== 'owner') || disabled === true;
  if (user.role !== 'owner' || user.disabled || !losesIt) return;
  if ((await store.records.users.count({ role: 'owner', disabled: 0 })) > 1) return;
  throw new BatonError('conflict', 'This is the last owner.', {
    hint: 'Make another user an owner first.',
  });
}
