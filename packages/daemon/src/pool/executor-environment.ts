import { backendEntries, canonicalName, findBackend, pathOutside } from '@baton/runtime/internal';

/** What belongs to the daemon and its owner alone: with it an agent could read or do everything that they can. */
const OWN: ReadonlySet<string> = new Set([
  'BATON_MASTER_KEY',
  'BATON_TOKEN',
  'DATABASE_URL',
  'PGPASSWORD',
]);
const SOME_PROVIDERS_KEY = /_API_KEY$/;

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that hold the secrets of an agent's provider. */
export async function keyVariables(backend: string, env: Environment): Promise<readonly string[]> {
  const name = canonicalName(backend);
  const entry = findBackend(name);
  return (await entry?.keyVariables?.(env)) ?? [];
}

export type AgentSecrets = {
  /** The variables that the agent takes. */
  variables: readonly string[];
  /** What is kept for it; the environment counts only when this is empty. */
  keys: Readonly<Record<string, string>>;
};

/**
 * The environment of an executor, which its agent inherits: that of the daemon, without the daemon's own secrets, the
 * keys of other providers, and parts of PATH in the folder of the daemon.
 */
export async function executorEnvironment(
  env: Environment,
  { variables, keys }: AgentSecrets,
): Promise<Environment> {
  const lists = await Promise.all(backendEntries().map(({ id }) => keyVariables(id, env)));
  const secrets = new Set(lists.flat());
  const hasKept = Object.keys(keys).length > 0;
  const stays = (name: string) => {
    if (OWN.has(name)) return false;
    if (variables.includes(name)) return !hasKept;
    return !secrets.has(name) && !SOME_PROVIDERS_KEY.test(name);
  };
  const inherited = Object.entries(env).filter(([name]) => stays(name));
  // Where a daemon was started with npx, an agent may have put programs into parts of its PATH.
  const PATH = pathOutside({ cwd: process.cwd(), env });
  return { ...Object.fromEntries(inherited), ...(PATH === undefined ? {} : { PATH }), ...keys };
}
