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
  /** As the agent names them; empty when it names none. Other models may work too. */
  models: z.array(modelInfoSchema),
  /** What a prompt can begin with after a slash; empty when the agent names none. */
  commands: z.array(commandInfoSchema),
  /** The variables in which the agent takes a key, as API keys are named. */
  key_variables: z.array(z.string()),
  /** The options of tasks that do not set them. */
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
