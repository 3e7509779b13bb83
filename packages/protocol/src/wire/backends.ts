import { z } from 'zod';
import { commandInfoSchema, modelInfoSchema } from '../agent-catalog.ts';
import { capabilitiesSchema } from '../capabilities.ts';
import type { Closed } from '../closed.ts';
import { probeSchema } from '../probe.ts';
import type { ServiceWire } from './service.ts';

const optionsSchema = z.record(z.string(), z.unknown());
const jsonSchemaSchema = z.record(z.string(), z.unknown());

/** An agent, as the daemon finds it on its machine. */
const backendRecordSchema = z.looseObject({
  id: z.string(),
  label: z.string(),
  aliases: z.array(z.string()),
  capabilities: capabilitiesSchema,
  options_schema: jsonSchemaSchema,
  provider_options_schema: jsonSchemaSchema.nullable(),
  /** Models that the agent reports; empty if it reports none. Other models may work too. */
  models: z.array(modelInfoSchema),
  /** Slash commands that a prompt can begin with; empty if the agent reports none. */
  commands: z.array(commandInfoSchema),
  /** Environment variables in which the agent takes an API key. */
  key_variables: z.array(z.string()),
  /** Default options of tasks. */
  default_options: optionsSchema,
  probe: probeSchema,
});
export type BackendRecord = Closed<z.output<typeof backendRecordSchema>>;

export const backendsWire = {
  find: { result: z.array(backendRecordSchema) },
  get: {
    query: z.strictObject({ cwd: z.string().max(4096).optional() }),
    result: backendRecordSchema,
  },
  patch: {
    data: z.strictObject({ options: optionsSchema.nullable() }),
    result: backendRecordSchema,
  },
  test: { data: z.strictObject({ backend_id: z.string() }), result: probeSchema },
} as const satisfies ServiceWire;
