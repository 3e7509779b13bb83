import { z } from 'zod';
import type { Closed } from '../closed.ts';
import { momentSchema } from '../records/session-record.ts';
import type { ServiceWire } from './service.ts';

const nameSchema = z
  .string()
  .max(100)
  .regex(/^[A-Z][A-Z0-9_]*$/, 'must be an environment variable name, like ANTHROPIC_API_KEY');
const valueSchema = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(10_000)
  .regex(/^[^\0\r\n]*$/, 'must be one line');

const newApiKeySchema = z.strictObject({
  name: nameSchema,
  value: valueSchema,
  shared: z.boolean().default(false),
});
export type NewApiKey = z.input<typeof newApiKeySchema>;

/** An API key of a provider, without its value. */
const apiKeyRecordSchema = z.looseObject({
  key_id: z.string(),
  name: z.string(),
  shared: z.boolean(),
  /** The owner of the key; null when it is shared. */
  user_id: z.string().nullable(),
  created_at: momentSchema,
});
export type ApiKeyRecord = Closed<z.output<typeof apiKeyRecordSchema>>;

export const apiKeysWire = {
  find: { result: z.array(apiKeyRecordSchema) },
  create: { data: newApiKeySchema, result: apiKeyRecordSchema },
  remove: { result: z.object({ key_id: z.string() }) },
} as const satisfies ServiceWire;
