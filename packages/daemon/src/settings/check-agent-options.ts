import type { Baton } from '@baton/agents/registry/baton';
import { schemaCheck } from '@baton/engine/emulate/schema-check';
import {
  checkNames,
  checkProviderOptions,
  checkSupported,
} from '@baton/engine/options/check-options';
import { type RunOptions, runOptionsSchema } from '@baton/protocol';
import type { z } from 'zod';
import { inputError } from '../service/input-error.ts';

/** Refuses options as the agent itself would, but before there is a task that could only fail. */
export async function checkOptions(
  baton: Baton,
  backendId: string,
  options: unknown,
  schema: z.ZodType<RunOptions> = runOptionsSchema,
): Promise<RunOptions> {
  const parsed = schema.safeParse(options);
  if (!parsed.success) throw inputError('data.options', schema, parsed.error);
  checkNames(parsed.data);
  const backend = await baton.load(baton.backend(backendId));
  checkSupported(backend, parsed.data, baton.backends());
  checkProviderOptions(backend, parsed.data);
  if (parsed.data.outputSchema) await schemaCheck(parsed.data.outputSchema);
  return parsed.data;
}
