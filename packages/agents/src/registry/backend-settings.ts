import type { Settings } from '@baton/config/settings/load-settings';
import type { SettingName } from '@baton/config/settings/setting-table';
import type { BackendSettings } from '@baton/engine/definition/backend';
import type { BackendEntry } from '@baton/engine/definition/backend-entry';
import type { Registry } from './registry.ts';

/** A program or command that the user configured for a backend, and the setting or variable that has it. */
export type GivenBinary = {
  path: string;
  origin: string;
  setting: 'binaries' | 'commands' | 'variable';
};

/** Finds the configured program or command of a backend. */
export function givenBinary(
  registry: Registry,
  { id, binary }: BackendEntry,
  settings: Settings,
): GivenBinary | undefined {
  const ofBackend = (values: Readonly<Record<string, string>> = {}) =>
    Object.entries(values).find(([each]) => registry.canonicalName(each) === id)?.[1];
  const command = ofBackend(settings.get('commands'));
  if (command) return { path: command, origin: settings.origin('commands'), setting: 'commands' };
  const variable = binary && 'envVar' in binary ? binary.envVar : undefined;
  const path = variable && process.env[variable];
  if (path) return { path, origin: variable, setting: 'variable' };
  const given = ofBackend(settings.get('binaries'));
  return given
    ? { path: given, origin: settings.origin('binaries'), setting: 'binaries' }
    : undefined;
}

/** The user's settings for one backend. */
export function backendSettings(
  registry: Registry,
  entry: BackendEntry,
  settings: Settings,
): BackendSettings {
  const given = givenBinary(registry, entry, settings);
  return {
    // The backend reads its variable itself and names it in errors.
    ...(given?.setting === 'binaries' ? { binary: given.path } : {}),
    ...(given?.setting === 'commands' ? { command: given.path } : {}),
    trust: {
      trusted: settings.get('trustedFolders') ?? [],
      untrusted: settings.get('untrustedFolders') ?? [],
    },
    env: variablesFor(entry, settings),
    protectedPaths: settings.get('protectedPaths') ?? [],
    acceptsClaim: (settings.get('claimedPermissions') ?? []).some(
      (each) => registry.canonicalName(each) === entry.id,
    ),
  };
}

/** The user's settings with those of a program, which win; a protected path stays protected. */
export function mergedSettings(own: BackendSettings, given: BackendSettings): BackendSettings {
  const { binary: _binary, command: _command, ...rest } = own;
  const isLocated = given.binary !== undefined || given.command !== undefined;
  return {
    ...(isLocated ? rest : own),
    ...given,
    env: { ...own.env, ...given.env },
    protectedPaths: [...(own.protectedPaths ?? []), ...(given.protectedPaths ?? [])],
  };
}

/** The settings that a backend reads as variables. */
function variablesFor(
  { settingVariables = {} }: BackendEntry,
  settings: Settings,
): Record<string, string> {
  const values = Object.entries(settingVariables).flatMap(([setting, variable]) => {
    const value = settings.get(setting as SettingName);
    // The agent has the same default, and a run may set another of its variables.
    const isGiven =
      typeof value === 'string' && settings.origin(setting as SettingName) !== 'default';
    return isGiven ? [[variable, value] as const] : [];
  });
  return Object.fromEntries(values);
}
