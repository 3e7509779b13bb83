import {
  type Backend,
  backendEntry,
  DEFAULT_BACKEND,
  loadBackend,
  type Settings,
} from '@baton/runtime';

/** The machine's settings of a backend. */
export function backendSettings(name: string, settings: Settings): { binary?: string | undefined } {
  const { binarySetting } = backendEntry(name);
  return binarySetting ? { binary: settings.get(binarySetting) } : {};
}

/** Loads the backend that was asked for, or the default one. */
export async function chosenBackend(settings: Settings): Promise<Backend> {
  const name = settings.get('backend') ?? DEFAULT_BACKEND;
  return loadBackend(name, backendSettings(name, settings));
}

/** The same, but a person at a terminal who named no backend and has no agent gets the demo, and is told so. */
export async function chosenBackendOrDemo(
  settings: Settings,
  tell: (line: string) => void,
): Promise<Backend> {
  const backend = await chosenBackend(settings);
  if (settings.get('backend') !== undefined) return backend;
  const { installed } = await backend.probe();
  if (installed) return backend;
  tell(
    `${backend.label} is not installed, so this is the built-in demo agent (--backend demo). "baton doctor" says how to install agents.`,
  );
  return loadBackend('demo');
}
