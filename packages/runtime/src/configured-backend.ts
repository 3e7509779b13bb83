import type { Backend, BackendSettings } from './backend.ts';
import { backendEntry, loadBackend } from './registry.ts';
import { SETTINGS, type SettingName, type Settings } from './settings/index.ts';

/** Loads a backend with what the settings of the machine say of it. */
export function configuredBackend(name: string, settings: Settings): Promise<Backend> {
  return loadBackend(name, backendSettings(name, settings));
}

function backendSettings(name: string, settings: Settings): BackendSettings {
  const { binarySetting } = backendEntry(name);
  const binary = binarySetting && binaryFrom(settings, binarySetting);
  return {
    ...(binary === undefined ? {} : { binary }),
    trust: {
      trusted: settings.get('trustedFolders') ?? [],
      untrusted: settings.get('untrustedFolders') ?? [],
    },
    protectedPaths: settings.get('protectedPaths') ?? [],
  };
}

/** The backend reads its variable itself, and blames it by its name. */
function binaryFrom(settings: Settings, name: `${string}Binary` & SettingName): string | undefined {
  if (settings.origin(name) === SETTINGS[name].variable) return undefined;
  return settings.get(name);
}
