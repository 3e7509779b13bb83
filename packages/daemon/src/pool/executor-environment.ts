/** What belongs to the daemon and its people alone: with it an agent could read every secret, or answer itself. */
const OWN: ReadonlySet<string> = new Set(['BATON_MASTER_KEY', 'BATON_TOKEN', 'DATABASE_URL']);

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of an executor, which its agent inherits: that of the daemon, without the daemon's own secrets. */
export function executorEnvironment(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !OWN.has(name)));
}
