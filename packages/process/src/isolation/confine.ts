export type Environment = Readonly<Record<string, string | undefined>>;

/** Command that is about to be started, before it is confined. */
export type ConfinedCommand = {
  file: string;
  args: readonly string[];
  cwd: string;
  /** The environment that the command gets. */
  env?: Environment | undefined;
  /** A folder of private files that the command must be able to read. */
  files?: string | undefined;
};

/**
 * The command to start instead, with the environment to start it with if one was given, and the folder to start it in if
 * it enters that of the command itself.
 */
type StartedCommand = {
  file: string;
  args: readonly string[];
  cwd?: string;
  env?: Environment | undefined;
};

/** Wraps a command, so that it runs in a sandbox or as another user. */
export type Confine = (command: ConfinedCommand) => StartedCommand;

/** Variables with which the loader and the C library of any program load code, or write files. */
const LOADER =
  /^(LD_\w*|MALLOC_\w*|GLIBC_TUNABLES|GCONV_PATH|GETCONF_DIR|HOSTALIASES|LOCALDOMAIN|LOCPATH|NIS_PATH|NLSPATH|RESOLV_HOST_CONF|RES_OPTIONS|TZDIR)$/;

/**
 * Separates the variables that must not reach the program which confines a command: it runs outside of the isolation,
 * perhaps as root, and would load the library that `LD_PRELOAD` names before it drops any permission.
 */
export function splitEnvironment(env: Environment | undefined): {
  outside: Environment | undefined;
  inside: readonly (readonly [name: string, value: string])[];
} {
  if (!env) return { outside: undefined, inside: [] };
  const all = Object.entries(env);
  return {
    outside: Object.fromEntries(all.filter(([name]) => !LOADER.test(name))),
    inside: all.flatMap(([name, value]) =>
      LOADER.test(name) && value !== undefined ? [[name, value] as const] : [],
    ),
  };
}
