import {
  BatonError,
  type Capabilities,
  FEATURES,
  type Feature,
  OPTION_NAMES,
  type OptionName,
  type OptionSupport,
} from '@baton/protocol/values';

/** The agent has the option. */
export const mapped = (how: string): OptionSupport => ({ support: 'mapped', how });

/** Baton carries the option out in the agent's place. */
export const emulated = (how: string): OptionSupport => ({ support: 'emulated', how });

/** The option is unsupported; `how` says why. */
export const unsupported = (how: string): OptionSupport => ({ support: 'unsupported', how });

/** Description of the option that every agent has. */
const PRICES_HOW =
  'prices: { inputPerMillion, cachedInputPerMillion, cacheWritePerMillion, outputPerMillion } in USD, used where the agent reports no cost';

/** Capabilities that a backend declares; everything that it does not list is unsupported. */
export type CapabilityList = {
  /** Name of the agent in sentences: "Codex", "the demo agent". */
  agent: string;
  features: readonly Feature[];
  /** Support for each option. An option that is not listed is unsupported. */
  options?: Partial<Record<OptionName, OptionSupport>>;
} & Pick<Capabilities, 'permissionModes' | 'transports' | 'stop'> &
  Partial<Pick<Capabilities, 'permissions'>>;

/** The options that Baton carries out for every agent that runs as a process. */
const EVERY_AGENT: CapabilityList['options'] = {
  cwd: mapped('the working directory of the process'),
  env: mapped('the environment of the process'),
  timeouts: emulated('Baton enforces the timeouts'),
};

/** The whole table of capabilities, from a list of what an agent has. */
export function capabilities({ agent, features, options, ...rest }: CapabilityList): Capabilities {
  const unknown = features.find((name) => !FEATURES.includes(name));
  if (unknown) throw new BatonError('usage', `Unknown feature "${unknown}".`);
  const permissionMode = mapped(`supports ${rest.permissionModes.join(', ')}`);
  const own = options?.providerOptions;
  const providerOptions = mapped(
    own?.support === 'mapped' ? `${own.how}; ${PRICES_HOW}` : PRICES_HOW,
  );
  const listed = { ...EVERY_AGENT, permissionMode, ...options, providerOptions };
  const missing = unsupported(`${agent} does not support it.`);
  return {
    features: table(FEATURES, (name) => features.includes(name)),
    options: table(OPTION_NAMES, (name) => listed[name] ?? missing),
    // The conformance suite proves it of an agent that has other modes.
    permissions: rest.permissionModes.some((mode) => mode !== 'allow-all') ? 'proved' : 'none',
    ...rest,
  };
}

function table<Name extends string, Value>(
  names: readonly Name[],
  get: (name: Name) => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, get(name)])) as Record<Name, Value>;
}
