import type { BackendEntry } from '../definition/backend-entry.ts';
import type { ResolvedOptions } from '../definition/driver.ts';
import { SETTING_NAMES, SETTINGS, type Setting } from '../settings/setting-table.ts';

type Environment = ResolvedOptions['env'];
type KeyVariables = NonNullable<BackendEntry['keyVariables']>;

const known = new Map<string, KeyVariables>();

/** Secrets of Baton itself: with them, an agent could act as its user in a daemon, or approve its own requests. */
const OF_BATON: readonly string[] = [
  'BATON_MASTER_KEY',
  ...SETTING_NAMES.map((name): Setting => SETTINGS[name])
    .filter(({ secret }) => secret)
    .map(({ variable }) => variable),
];

/** Notes which variables hold the keys of a backend; called by the registry. */
export function noteKeyVariables({ id, keyVariables }: BackendEntry): void {
  if (keyVariables) known.set(id, keyVariables);
}

/** All variables that hold the key of some backend's provider. */
export async function providerKeys(env: Environment): Promise<ReadonlySet<string>> {
  const lists = await Promise.all([...known.values()].map((variables) => variables(env)));
  return new Set(lists.flat());
}

/** All variables that no program needs that Baton starts for itself: the keys of providers, and its own secrets. */
export async function secretVariables(env: Environment): Promise<ReadonlySet<string>> {
  return new Set([...OF_BATON, ...(await providerKeys(env))]);
}

/**
 * The options of a run without the secrets that its agent inherited and has no use for: those of Baton, and the keys of
 * other providers. Variables that the caller passed stay. A backend that does not tell its own keys may use any.
 */
export async function withoutForeignKeys<
  Options extends Pick<ResolvedOptions, 'env' | 'givenVariables'>,
>(backend: string, options: Options): Promise<Options> {
  const { env, givenVariables = [] } = options;
  const ofBackend = known.get(backend);
  const own = new Set([...givenVariables, ...((await ofBackend?.(env)) ?? [])]);
  const keys = ofBackend ? await providerKeys(env) : new Set<string>();
  const isWithheld = (name: string) =>
    !own.has(name) && (OF_BATON.includes(name) || keys.has(name));
  if (!Object.keys(env).some(isWithheld)) return options;
  const kept = Object.entries(env).filter(([name]) => !isWithheld(name));
  return { ...options, env: Object.fromEntries(kept) };
}
