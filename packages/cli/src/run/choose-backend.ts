import {
  type Backend,
  backendEntries,
  COMMAND_BACKEND,
  canonicalName,
  checkConfigured,
  configuredBackend,
  DEFAULT_BACKEND,
  loadBackend,
  type Settings,
} from '@baton/runtime/internal';

/** The id of the backend that was asked for, or of the default one. */
export function chosenName(settings: Settings): string {
  if (settings.get('acpCommand') !== undefined) return COMMAND_BACKEND;
  return canonicalName(settings.get('backend') ?? DEFAULT_BACKEND);
}

/** Loads the backend that was asked for, or the default one. */
export async function chosenBackend(settings: Settings): Promise<Backend> {
  const name = chosenName(settings);
  const typed = settings.get('backend');
  if (typed !== undefined && name !== COMMAND_BACKEND) checkConfigured(typed);
  return configuredBackend(name, settings);
}

/** The same, but a person at a terminal who named no backend and has no agent gets the demo, and is told so. */
export async function chosenBackendOrDemo(
  settings: Settings,
  tell: (line: string) => void,
): Promise<Backend> {
  const backend = await chosenBackend(settings);
  if (settings.get('backend') !== undefined || backend.id === COMMAND_BACKEND) return backend;
  const { installed } = await backend.probe();
  if (installed || (await installedAgents(settings)).length > 0) return backend;
  tell(
    `${backend.label} is not installed; using the built-in demo agent (--backend demo). Run "baton doctor" for install instructions.`,
  );
  return loadBackend('demo');
}

/** The ids of the real agents that are installed here. */
export async function installedAgents(settings: Settings): Promise<string[]> {
  const found = await Promise.all(
    backendEntries()
      .filter(({ isDemo }) => !isDemo)
      .map(async ({ id }) => {
        // One that cannot be loaded is not there.
        const backend = await configuredBackend(id, settings).catch(() => undefined);
        return { id, installed: (await backend?.probe())?.installed ?? false };
      }),
  );
  return found.filter(({ installed }) => installed).map(({ id }) => id);
}
