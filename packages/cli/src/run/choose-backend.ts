import { COMMAND_BACKEND } from '@baton/agents/backends/acp';
import type { Baton } from '@baton/agents/registry/baton';
import { DEFAULT_BACKEND } from '@baton/agents/registry/registry';
import type { Settings } from '@baton/config/settings';
import type { Backend } from '@baton/engine/definition/backend';

/** The id of the backend that was asked for, or of the default one. */
export function chosenName(baton: Baton, settings: Settings): string {
  if (settings.get('acpCommand') !== undefined) return COMMAND_BACKEND;
  return baton.registry.canonicalName(settings.get('backend') ?? DEFAULT_BACKEND);
}

/** Loads the backend that was asked for, or the default one. */
export async function chosenBackend(baton: Baton, settings: Settings): Promise<Backend> {
  const name = settings.get('acpCommand') === undefined ? settings.get('backend') : COMMAND_BACKEND;
  return baton.withSettings(settings).loadBackend(name ?? DEFAULT_BACKEND);
}

/** The same, but a person at a terminal who named no backend and has no agent gets the demo, and is told so. */
export async function chosenBackendOrDemo(
  baton: Baton,
  settings: Settings,
  tell: (line: string) => void,
): Promise<Backend> {
  const backend = await chosenBackend(baton, settings);
  if (settings.get('backend') !== undefined || backend.id === COMMAND_BACKEND) return backend;
  const { installed } = await backend.probe();
  if (installed || (await installedAgents(baton, settings)).length > 0) return backend;
  tell(
    `${backend.label} is not installed; using the built-in demo agent (--backend demo). Run "baton doctor" for install instructions.`,
  );
  return baton.withSettings(settings).loadBackend('demo');
}

/** The ids of the real agents that are installed here. */
export async function installedAgents(baton: Baton, settings: Settings): Promise<string[]> {
  const configured = baton.withSettings(settings);
  const found = await Promise.all(
    baton
      .backends()
      .filter(({ isDemo }) => !isDemo)
      .map(async (entry) => {
        // One that cannot be loaded is not there.
        const backend = await configured.load(entry).catch(() => undefined);
        return { id: entry.id, installed: (await backend?.probe())?.installed ?? false };
      }),
  );
  return found.filter(({ installed }) => installed).map(({ id }) => id);
}
