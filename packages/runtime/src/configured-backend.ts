import type { Backend, BackendSettings } from './backend.ts';
import { backendEntry, loadBackend } from './registry.ts';
import { SETTINGS, type Settings } from './settings/index.ts';

/** Loads a backend with what the settings of the machine say of it. */
export function configuredBackend(name: string, settings: Settings): Promise<Backend> {
  return loadBackend(name, backendSettings(name, settings));
}

function backendSettings(name: string, settings: Settings): BackendSettings {
  const { binarySetting } = backendEntry(name);
  // The backend reads its variable itself, and blames it by its name.
  if (!binarySetting || settings.origin(binarySetting) === SETTINGS[binarySetting].variable) {
    return {};
  }
  const binary = settings.get(binarySetting);
  return binary === undefined ? {} : { binary };
}
