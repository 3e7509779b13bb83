import { z } from 'zod';
import type { Closed } from './closed.ts';
import { FEATURES } from './features.ts';
import { OPTION_NAMES } from './option-names.ts';
import { permissionModeSchema } from './permission.ts';

/** What happens with an option: the agent has it, Baton does it in the agent's place, or it cannot be had. */
export const optionSupportSchema = z.strictObject({
  support: z.enum(['mapped', 'emulated', 'unsupported']),
  how: z.string(),
});
export type OptionSupport = z.infer<typeof optionSupportSchema>;

export const capabilitiesSchema = z.looseObject({
  features: z.record(z.enum(FEATURES), z.boolean()),
  options: z.record(z.enum(OPTION_NAMES), optionSupportSchema),
  permissionModes: z.array(permissionModeSchema),
  /**
   * Whether the agent keeps its permission mode: `proved` by tests with the real agent, only `claimed` by the agent,
   * which a user has to accept before `ask` and `auto` are possible, or `none`.
   */
  permissions: z.enum(['proved', 'claimed', 'none']),
  /** The ways to talk to the agent, the preferred one first. */
  transports: z.array(z.string()),
  /** What a stop can promise: `verified` means that Baton checks that nothing survives. */
  stop: z.enum(['verified', 'best-effort']),
});
export type Capabilities = Closed<z.infer<typeof capabilitiesSchema>>;
