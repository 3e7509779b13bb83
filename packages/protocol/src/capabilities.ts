import { z } from 'zod';
import type { Closed } from './closed.ts';
import { FEATURES } from './features.ts';
import { OPTION_NAMES } from './option-names.ts';
import { permissionModeSchema } from './permission.ts';

/** Support for an option: `mapped` to an option of the agent, `emulated` by Baton, or `unsupported`. */
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
   * Enforcement of the permission mode: `proved` by tests with the real agent, only `claimed` by the agent, which a
   * user has to accept before `ask` and `auto` are possible, or `none`.
   */
  permissions: z.enum(['proved', 'claimed', 'none']),
  /** Transports that the agent supports, the preferred one first. */
  transports: z.array(z.string()),
  /** Guarantee of a stop: `verified` means that Baton checks that no process survives. */
  stop: z.enum(['verified', 'best-effort']),
});
export type Capabilities = Closed<z.infer<typeof capabilitiesSchema>>;
