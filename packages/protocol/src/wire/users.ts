import { z } from 'zod';
import { momentSchema } from '../records/session-record.ts';
import type { ServiceWire } from './service.ts';

/** Each role may do everything that the roles before it may do. */
export const ROLES = ['viewer', 'member', 'owner'] as const;
export type Role = (typeof ROLES)[number];

const nameSchema = z.string().trim().min(1).max(100);
const passwordSchema = z.string().min(10, 'must have at least 10 characters').max(1000);
const roleSchema = z.enum(ROLES);

/** A user, never with the password or its hash. */
export const userRecordSchema = z.object({
  user_id: z.string(),
  name: z.string(),
  role: roleSchema,
  /** False for a user who can only log in with a one-time link. */
  has_password: z.boolean(),
  disabled: z.boolean(),
  created_at: momentSchema,
});
export type UserRecord = z.output<typeof userRecordSchema>;

/** The secret of a one-time link; it follows `#link=` in the address. */
const linkSchema = z.object({ link_secret: z.string() });
export type LinkSecret = z.output<typeof linkSchema>;

const newUserSchema = z.strictObject({ name: nameSchema, role: roleSchema });
export type NewUser = z.input<typeof newUserSchema>;

const userPatchSchema = z.strictObject({
  name: nameSchema.optional(),
  role: roleSchema.optional(),
  password: passwordSchema.optional(),
  /** Required to change one's own password. */
  current_password: z.string().max(1000).optional(),
  disabled: z.boolean().optional(),
});
export type UserPatch = z.input<typeof userPatchSchema>;

export const usersWire = {
  find: { result: z.array(userRecordSchema) },
  get: { result: userRecordSchema },
  create: { data: newUserSchema, result: userRecordSchema.extend(linkSchema.shape) },
  patch: { data: userPatchSchema, result: userRecordSchema },
  createLink: { data: z.strictObject({ user_id: z.string() }), result: linkSchema },
} as const satisfies ServiceWire;
