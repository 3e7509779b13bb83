import {
  type Backend,
  backendEntries,
  canonicalName,
  configuredBackend,
  DEFAULT_BACKEND,
  loadBackend,
  type Settings,
} from '@baton/runtime';

/** The id of the backend that was asked for, or of the default one. */
export function chosenName(settings: Settings): string {
  return canonicalName(settings.get('backend') ?? DEFAULT_BACKEND);
}

/** Loads the backend that was asked for, or the default one. */
export async function chosenBackend(settings: Settings): Promise<Backend> {
  const name = chosenName(settings);
  return configuredBackend(name, settings);
}

/** The same, but a person at a terminal who named no backend and has no agent gets the demo, and is told so. */
export async function chosenBackendOrDemo(
  settings: Settings,
  tell: (line: string) => void,
): Promise<Backend> {
  const backend = await chosenBackend(settings);
  if (settings.get('backend') !== undefined) return backend;
  const { installed } = await backend.probe();
  if (installed || (await installedAgents(settings)).length > 0) return backend;
  tell(
    `${backend.label} is not installed, so this is the built-in demo agent (--backend demo). "baton doctor" says how to install agents.`,
  );
  return loadBackend('demo');
}

/** The ids of the real agents that are installed here. */
export async function installedAgents(settings: Settings): Promise<string[]> {
  const found = await Promise.all(
    backendEntries()
      .filter(({ id }) => id !== 'demo')
      .map(async ({ id }) => {
        const backend = await configuredBackend(id, settings);
        return { id, installed: (await backend.probe()).installed };
      }),
  );
  return found.filter(({ installed }) => installed).map(({ id }) => id);
}
