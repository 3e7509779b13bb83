import type { Registry } from '@baton/agents/registry/registry';
import { isSecretName, providerKeys } from '@baton/engine/run/withheld-variables';
import { pathOutside } from '@baton/process';

/** Secrets of the daemon and its owner: with them an agent could read or do everything that they can. */
const OWN: ReadonlySet<string> = new Set([
  'BATON_MASTER_KEY',
  'BATON_TOKEN',
  'BATON_DISCORD_TOKEN',
  'BATON_GATEWAY_PRESS_SECRET',
  'BATON_GATEWAY_WEBHOOK_SECRET',
  'DATABASE_URL',
  'PGPASSWORD',
]);
const SOME_PROVIDERS_KEY = /_API_KEY$/;

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that hold the secrets of an agent's provider. */
export async function keyVariables(
  registry: Registry,
  backend: string,
  env: Environment,
): Promise<readonly string[]> {
  const entry = registry.find(registry.canonicalName(backend));
  return (await entry?.keyVariables?.(env)) ?? [];
}

type AgentSecrets = {
  /** The variables that the agent takes. */
  variables: readonly string[];
  /** Stored keys; variables of the environment are used only if this is empty. */
  keys: Readonly<Record<string, string>>;
};

/** Variables that every program may need: user, folders, language, temporary folder, network. */
const HARMLESS =
  /^(PATH|HOME|USER|LOGNAME|SHELL|PWD|LANG|LANGUAGE|LC_\w+|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|TZ|TMPDIR|TMP|TEMP|HOSTNAME|XDG_(CONFIG|DATA|CACHE|STATE)_HOME|NODE_OPTIONS|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|(HTTPS?|ALL|NO)_PROXY|BATON_\w+)$/i;

/** True if isolated agents get a variable of the daemon; names in `passed` may end in `*`. */
function isPassed(name: string, variables: readonly string[], passed: readonly string[]): boolean {
  const isNamed = passed.some((each) =>
    each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : name === each,
  );
  if (isNamed) return true;
  if (isSecretName(name)) return false;
  if (HARMLESS.test(name)) return true;
  // Those of the agent's own provider, such as ANTHROPIC_BASE_URL beside ANTHROPIC_API_KEY.
  const families = variables.map((each) => each.slice(0, each.indexOf('_') + 1)).filter(Boolean);
  return families.some((family) => name.startsWith(family));
}

type Passing = {
  /** For isolated agents: names of the variables that they get besides those that every program needs. */
  onlyPassed?: readonly string[] | undefined;
};

/**
 * Returns the environment of an executor, which its agent inherits: that of the daemon, without the daemon's own
 * secrets, the keys of other providers, and parts of PATH in the folder of the daemon. Isolated agents get only allowed
 * variables.
 */
export async function executorEnvironment(
  registry: Registry,
  env: Environment,
  { variables, keys }: AgentSecrets,
  { onlyPassed }: Passing = {},
): Promise<Environment> {
  const secrets = await providerKeys(registry.entries(), env);
  const hasKept = Object.keys(keys).length > 0;
  const stays = (name: string) => {
    if (OWN.has(name)) return false;
    if (variables.includes(name)) return !hasKept;
    if (onlyPassed?.includes(name)) return true;
    if (secrets.has(name) || SOME_PROVIDERS_KEY.test(name)) return false;
    return onlyPassed === undefined || isPassed(name, variables, onlyPassed);
  };
  const inherited = Object.entries(env).filter(([name]) => stays(name));
  // Where a daemon was started with npx, an agent may have put programs into parts of its PATH.
  const PATH = pathOutside({ cwd: process.cwd(), env });
  return { ...Object.fromEntries(inherited), ...(PATH === undefined ? {} : { PATH }), ...keys };
}
