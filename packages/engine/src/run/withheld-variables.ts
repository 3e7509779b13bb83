import { SETTING_NAMES, SETTINGS, type Setting } from '@baton/config/settings/setting-table';
import type { BackendEntry } from '../definition/backend-entry.ts';
import type { ResolvedOptions } from '../definition/driver.ts';

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

/** Names of variables that hold secrets, or the paths of files with some; users add words and numbers to further ones. */
const SECRET_NAME = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSPHRASE|CREDENTIAL|AUTH)S?\d*(?:_\w+)?$/i;
/** Headers that an agent sends to its provider, such as one with a key. */
const HEADERS = /_HEADERS$/;

/** True for a variable that holds a secret, by its name. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** Beginnings of the variables of vendors that provide nothing but models and agents, besides those of the backends. */
const MODEL_VENDORS =
  'AUGMENT CLINE COHERE COPILOT DASHSCOPE DEEPINFRA FIREWORKS GLM GROK KILO KILOCODE KIMI KIRO MINIMAX MOONSHOT NEBIUS PERPLEXITY QODER QWEN SAMBANOVA SILICONFLOW TOGETHER VENICE ZHIPU'.split(
    ' ',
  );
/** Vendors whose variables are also for programs that have nothing to do with models. */
const OTHER_VENDORS: ReadonlySet<string> = new Set(['AWS', 'AZURE', 'BATON', 'GITHUB', 'GOOGLE']);
/** As many vendors as only an agent has that works with any model. */
const ANY_MODEL = 5;

function vendorOf(name: string): string {
  return name.slice(0, Math.max(0, name.indexOf('_')));
}

/** All variables that hold the key of some backend's provider, also those that only the name of the provider tells. */
export async function providerKeys(
  backends: readonly KeyHolder[],
  env: Environment,
): Promise<ReadonlySet<string>> {
  const lists = await Promise.all(backends.map((each) => each.keyVariables?.(env)));
  const listed = lists.flatMap((names) => names ?? []);
  const vendors = new Set([...listed.map(vendorOf), ...MODEL_VENDORS]);
  const isKey = (name: string) => {
    const vendor = vendorOf(name);
    const isSecret = isSecretName(name) || HEADERS.test(name);
    return isSecret && vendors.has(vendor) && !OTHER_VENDORS.has(vendor);
  };
  return new Set([...listed, ...Object.keys(env).filter(isKey)]);
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
  const listed = (await entry?.keyVariables?.(env)) ?? [];
  const own = new Set([...givenVariables, ...listed]);
  const vendors = new Set(listed.map(vendorOf));
  if (vendors.size >= ANY_MODEL) for (const vendor of MODEL_VENDORS) vendors.add(vendor);
  const keys = entry?.keyVariables ? await providerKeys(backends, env) : new Set<string>();
  const isOfBaton = (name: string) =>
    OF_BATON.includes(name) || (name.startsWith('BATON_') && isSecretName(name));
  // Other variables of its own vendors, such as the token of a proxy, are not in its list.
  const isOwn = (name: string) =>
    own.has(name) || (!OTHER_VENDORS.has(vendorOf(name)) && vendors.has(vendorOf(name)));
  const isWithheld = (name: string) => !isOwn(name) && (isOfBaton(name) || keys.has(name));
  if (!Object.keys(env).some(isWithheld)) return options;
  const kept = Object.entries(env).filter(([name]) => !isWithheld(name));
  return { ...options, env: Object.fromEntries(kept) };
}
