import { randomUUID } from 'node:crypto';
import { BatonError } from '@baton/protocol';
import type { Store, UserRow } from '@baton/store';
import { z } from 'zod';
import { giveToken } from '../../access/give-token.ts';
import { type Principal, ROLES, type Role } from '../../access/principal.ts';
import type { DaemonContext } from '../../context.ts';
import { hashPassword, isPassword } from '../../security/password.ts';
import { method, type ServiceDefinition } from '../../service/definition.ts';
import { userRecord, userRecordSchema } from './user-record.ts';

const LINK_LIFE_MS = 24 * 60 * 60 * 1000;

const nameSchema = z.string().trim().min(1).max(100);
const passwordSchema = z.string().min(10, 'use at least 10 characters').max(1000);
const roleSchema = z.enum(ROLES);

/** The people who may use the daemon. */
export function users({ store, newsDesk }: DaemonContext): ServiceDefinition {
  const { users: table } = store.records;
  return {
    path: 'users',
    about: 'The people who may use the daemon.',
    methods: {
      find: method({
        about: 'Lists all users.',
        allow: ['viewer'],
        result: z.array(userRecordSchema),
        act: async () => (await table.find({ orderBy: ['name', 'asc'] })).map(userRecord),
      }),
      get: method({
        about: 'Gives one user; "me" is the caller.',
        allow: ['viewer'],
        result: userRecordSchema,
        act: async ({ id, principal }) => userRecord(await existing(store, own(id, principal))),
      }),
      create: method({
        about: 'Adds a user, and gives a one-time link to log in with.',
        allow: ['owner'],
        data: z.strictObject({ name: nameSchema, role: roleSchema }),
        result: userRecordSchema.extend({ link_secret: z.string() }),
        async act({ data }) {
          await checkFree(store, data.name);
          const row = await addUser(store, data);
          return { ...userRecord(row), link_secret: await linkFor(store, row) };
        },
      }),
      patch: method({
        about: 'Changes a user: the own password, or as an owner anything.',
        allow: ['viewer'],
        data: z.strictObject({
          name: nameSchema.optional(),
          role: roleSchema.optional(),
          password: passwordSchema.optional(),
          /** Whoever has a password gives it to choose another one. */
          current_password: z.string().max(1000).optional(),
          disabled: z.boolean().optional(),
        }),
        result: userRecordSchema,
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
          newsDesk.peopleChanged();
          return userRecord(await existing(store, user.user_id));
        },
      }),
      createLink: method({
        about: 'Makes a new one-time link for a user.',
        allow: ['owner'],
        data: z.strictObject({ user_id: z.string() }),
        result: z.object({ link_secret: z.string() }),
        act: async ({ data }) => ({
          link_secret: await linkFor(store, await existing(store, data.user_id)),
        }),
      }),
    },
  };
}

/** Adds a user who has no password yet. */
export async function addUser(
  store: Store,
  { name, role }: { name: string; role: Role },
): Promise<UserRow> {
  return store.records.users.insert({
    user_id: randomUUID(),
    name,
    role,
    password_hash: null,
    disabled: 0,
    created_at: store.now(),
  });
}

/** Makes the secret of a link that lets a user in once. */
export async function linkFor(store: Store, user: UserRow): Promise<string> {
  const { secret } = await giveToken(store, {
    userId: user.user_id,
    name: 'One-time link',
    kind: 'link',
    role: user.role as Role,
    lifeMs: LINK_LIFE_MS,
  });
  return secret;
}

function own(id: string, principal: Principal): string {
  return id === 'me' && principal.kind === 'user' ? principal.userId : id;
}

async function existing(store: Store, id: string): Promise<UserRow> {
  const user = await store.records.users.get(id);
  if (user) return user;
  throw new BatonError('not_found', `There is no user "${id}".`);
}

async function checkFree(store: Store, name: string): Promise<void> {
  const [taken] = await store.records.users.find({ where: { name }, limit: 1 });
  if (!taken) return;
  throw new BatonError('conflict', `There is a user "${name}" already.`, {
    hint: 'Choose another name.',
  });
}

function checkMayChange(user: UserRow, changes: object, principal: Principal): void {
  if (principal.kind !== 'user') throw new BatonError('forbidden', 'You may not do this.');
  if (principal.role === 'owner') return;
  const named = Object.entries(changes).filter(([, value]) => value !== undefined);
  // A token that allows less than its user must not be a way to allow more.
  const isOwnPassword =
    principal.userId === user.user_id &&
    principal.role === user.role &&
    named.every(([key]) => key === 'password');
  if (!isOwnPassword) throw new BatonError('forbidden', 'Only an owner may change this.');
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
    hint: 'Give it as current_password, or ask an owner for a one-time link.',
  });
}

/** Whoever else is logged in as this user has to log in anew. */
async function endOtherLogins(store: Store, user: UserRow, principal: Principal): Promise<void> {
  const own = principal.kind === 'user' ? principal.tokenId : '';
  const where = { user_id: user.user_id, kind: 'login', revoked_at: null };
  for (const { token_id } of await store.records.tokens.find({ where })) {
    if (token_id === own) continue;
    await store.records.tokens.update({ token_id }, { revoked_at: store.now() });
  }
}

/** Somebody must be left who can let others in. */
async function checkOwnerLeft(
  store: Store,
  user: UserRow,
  { role, disabled }: { role?: Role | undefined; disabled?: boolean | undefined },
): Promise<void> {
  const losesIt = (role !== undefined && role !== 'owner') || disabled === true;
  if (user.role !== 'owner' || user.disabled || !losesIt) return;
  if ((await store.records.users.count({ role: 'owner', disabled: 0 })) > 1) return;
  throw new BatonError('conflict', 'This is the last owner.', { hint: 'Make another one first.' });
}
