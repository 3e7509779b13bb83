import { isDeepStrictEqual } from 'node:util';
import type { Capabilities } from '@baton/protocol/values';
import type { ResolvedOptions } from '../definition/driver.ts';

/** The options of a prompt that only a restart can change, where the agent itself carries them out. */
const FIXED_AT_START = [
  ['model', 'model'],
  ['permissionMode', 'permissionMode'],
  ['maxTurns', 'maxTurns'],
  ['tools', 'tools.allowed'],
  ['tools', 'tools.disallowed'],
  ['providerOptions', 'providerOptions'],
  ['outputSchema', 'outputSchema'],
] as const;

/** Returns the name of an option that only a restart of the agent's process can change. */
export function changedOption(
  capabilities: Capabilities,
  startedWith: ResolvedOptions,
  options: ResolvedOptions,
): string | undefined {
  return FIXED_AT_START.find(
    ([key, name]) =>
      capabilities.options[name].support === 'mapped' &&
      !isDeepStrictEqual(withoutPrices(startedWith[key]), withoutPrices(options[key])),
  )?.[0];
}

/** The prices of a run are not the agent's business. */
function withoutPrices(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('prices' in value)) return value;
  const { prices: _prices, ...rest } = value;
  return Object.keys(rest).length > 0 ? rest : undefined;
}
