import { homeFolder } from '@baton/config/paths/home-folder';
import { givenSettings, loadUserSettings, Settings } from '@baton/config/settings/load-settings';
import type { SettingValue } from '@baton/config/settings/setting-table';
import type { BackendEntry } from '@baton/engine/definition/backend-entry';
import { Baton } from './baton.ts';
import { registerConfigured } from './register-configured.ts';
import { Registry } from './registry.ts';

/** Settings of a Baton, with the names and values of `~/.baton/config.json`. */
export type BatonSettings = {
  [Name in
    | 'acpAgents'
    | 'agents'
    | 'backendModules'
    | 'binaries'
    | 'claimedPermissions'
    | 'commands'
    | 'openclawAgentId'
    | 'openclawPassword'
    | 'openclawToken'
    | 'openclawUrl'
    | 'piAgentDir'
    | 'protectedPaths'
    | 'trustedFolders'
    | 'untrustedFolders']?: SettingValue<Name>;
};

export type BatonOptions = {
  /**
   * The settings: `user` (the default) reads the user's files in `~/.baton` and the variables of Baton, as the command
   * does; `none` reads nothing; an object is used alone.
   */
  settings?: 'user' | 'none' | BatonSettings | Settings | undefined;
  /** The variables to read with `user`; those of this process by default. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The folder that contains `.baton`; the home folder of the user by default. */
  home?: string | undefined;
  /** Backends of the program itself. They come before those of the settings with the same name. */
  backends?: readonly BackendEntry[] | undefined;
};

/**
 * Creates a Baton: the built-in backends, those of the program, and those of the settings. Throws if the settings
 * cannot be read; `problems` lists backends of the settings that cannot be used.
 */
export function createBaton(options: BatonOptions = {}): Promise<Baton> {
  return configureRegistry(new Registry(), options);
}

/** Creates a Baton of a registry that the program may have added backends to. */
export async function configureRegistry(
  registry: Registry,
  options: BatonOptions = {},
): Promise<Baton> {
  const { home = homeFolder(), backends = [] } = options;
  const settings = settingsOf(options, home);
  for (const entry of backends) registry.register(entry);
  await registerConfigured(registry, settings, home);
  return new Baton(registry, settings);
}

function settingsOf({ settings = 'user', env }: BatonOptions, home: string): Settings {
  if (settings === 'none') return new Settings(new Map(), []);
  if (settings === 'user') return loadUserSettings({ program: 'baton', env, home });
  return settings instanceof Settings ? settings : givenSettings(settings);
}
