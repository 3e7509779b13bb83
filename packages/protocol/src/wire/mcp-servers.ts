import { z } from 'zod';
import type { Closed } from '../closed.ts';
import { mcpServerSchema } from '../mcp.ts';
import { momentSchema } from '../records/session-record.ts';
import type { ServiceWire } from './service.ts';

export const nameSchema = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, "-" or "_"');
export const configSchema = z.union(mcpServerSchema.options, {
  error: 'must have a command or a url, and string values in env or headers',
});

const newMcpServerSchema = z.strictObject({
  name: nameSchema,
  config: configSchema,
  enabled: z.boolean().default(true),
});
export type NewMcpServer = z.input<typeof newMcpServerSchema>;

const mcpServerPatchSchema = z.strictObject({
  config: configSchema.optional(),
  enabled: z.boolean().optional(),
});
export type McpServerPatch = z.input<typeof mcpServerPatchSchema>;

/** An MCP server available to every task; secrets in its configuration are returned as `***`. */
const mcpServerRecordSchema = z.looseObject({
  server_id: z.string(),
  name: z.string(),
  config: z.record(z.string(), z.unknown()),
  enabled: z.boolean(),
  created_by: z.string().nullable(),
  created_at: momentSchema,
});
export type McpServerRecord = Closed<z.output<typeof mcpServerRecordSchema>>;

export const mcpServersWire = {
  find: { result: z.array(mcpServerRecordSchema) },
  get: { result: mcpServerRecordSchema },
  create: { data: newMcpServerSchema, result: mcpServerRecordSchema },
  patch: { data: mcpServerPatchSchema, result: mcpServerRecordSchema },
  remove: { result: z.object({ server_id: z.string() }) },
} as const satisfies ServiceWire;
