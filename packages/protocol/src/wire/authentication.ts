import { z } from 'zod';
import { emptySchema, type ServiceWire } from './service.ts';
import { userRecordSchema } from './users.ts';

/** `accessToken` is the name that clients of Feathers send and expect. */
const credentialsSchema = z.discriminatedUnion('strategy', [
  z.strictObject({
    strategy: z.literal('password'),
    name: z.string().max(200),
    password: z.string().max(1000),
  }),
  z.strictObject({ strategy: z.literal('link'), secret: z.string().max(200) }),
  z.strictObject({ strategy: z.literal('jwt'), accessToken: z.string().max(4000) }),
]);
export type Credentials = z.output<typeof credentialsSchema>;

/** A token and its user; the token of a task belongs to no user. */
const loginSchema = z.object({ accessToken: z.string(), user: userRecordSchema.nullable() });
export type Login = z.output<typeof loginSchema>;

export const authenticationWire = {
  create: { data: credentialsSchema, result: loginSchema },
  remove: { result: emptySchema },
} as const satisfies ServiceWire;
