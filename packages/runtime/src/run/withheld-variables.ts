import type { BackendEntry } from '../definition/backend-entry.ts';
import type { ResolvedOptions } from '../definition/driver.ts';
import { SETTING_NAMES, SETTINGS, type Setting } from '../settings/setting-table.ts';

type Environment = ResolvedOptions['env'];
/** Facts of a backend that tell its keys from those of others. */
type KeyHolder = Pick<BackendEntry, 'id' | 'keyVariables'>;

/** Secrets of Baton itself: with them, an agent could act as its user in a daemon, or approve its own requests. */
const OF_BATON: readonly string[] = [
  'BATON_MASTER_KEY',
  ...SETTING_NAMES.map((name): Setting => SETTINGS[name])
    .filter(({ secret }) => secret)
    .map(({ variable }) => variable),
];

/** All variables that hold the key of some backend's provider. */
export async function providerKeys(
  backends: readonly KeyHolder[],
  env: Environment,
): Promise<ReadonlySet<string>> {
  const lists = await Promise.all(backends.map((each) => each.keyVariables?.(env)));
  return new Set(lists.flatMap((names) => names ?? []));
}

/** All variables that no program needs that Baton starts for itself: the keys of providers, and its own secrets. */
export async function secretVariables(
  backends: readonly KeyHolder[],
  env: Environment,
): Promise<ReadonlySet<string>> {
  return new Set([...OF_BATON, ...(await providerKeys(backends, env))]);
}

/**
 * The options of a run without the secrets that its agent inherited and has no use for: those of Baton, and the keys of
 * the other backends' providers. Variables that the caller passed stay. A backend that does not tell its own keys may
 * use any.
 */
export async function withoutForeignKeys<
  Options extends Pick<ResolvedOptions, 'env' | 'givenVariables'>,
>(backend: string, backends: readonly KeyHolder[], options: Options): Promise<Options> {
  const { env, givenVariables = [] } = options;
  const entry = backends.find(({ id }) => id === backend);
  const own = new Set([...givenVariables, ...((await entry?.keyVariables?.(env)) ?? [])]);
  const keys = entry?.keyVariables ? await providerKeys(backends, env) : new Set<string>();
  const isWithheld = (name: string) =>
    !own.has(name) && (OF_BATON.includes(name) || keys.has(name));
  if (!Object.keys(env).some(isWithheld)) return options;
  const kept = Object.entries(env).filter(([name]) => !isWithheld(name));
  return { ...options, env: Object.fromEntries(kept) };
}
