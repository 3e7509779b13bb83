import type { Settings } from '@baton/config/settings/load-settings';
import { ownAgentValues, readOwnAgent } from '@baton/config/settings/own-agents';
import type { BackendEntry } from '@baton/engine/definition/backend-entry';
import { BatonError } from '@baton/protocol/values';
import { givenAcpEntry } from '../backends/acp/index.ts';
import { BUILT_IN } from '../backends/index.ts';
import { ownEntry } from '../backends/own/index.ts';
import type { Registry } from './registry.ts';

/**
 * Registers the backends in the user's settings. A broken one does not affect others: `problems` of the registry lists
 * its error, and a run with its name fails with it.
 */
export async function registerConfigured(
  registry: Registry,
  settings: Settings,
  home: string,
): Promise<void> {
  const noteErrors = errorNoter(registry);
  for (const [name, command] of Object.entries(settings.get('acpAgents') ?? {})) {
    noteErrors(`acp:${name}`, () => registry.register(givenAcpEntry(name, command)));
  }
  const origin = settings.origin('agents');
  noteErrors(undefined, () => {
    for (const [name, value] of ownAgentValues(settings.get('agents'), origin)) {
      noteErrors(name, () => {
        const entry = ownEntry(readOwnAgent(name, value, origin), registry.settingsPaths());
        registerOwn(registry, entry, origin);
      });
    }
  });
  const others = ['backendModules', 'binaries', 'commands'] as const;
  if (!others.some((name) => settings.get(name))) return;
  const { registerBackendModules } = await import('./backend-modules.ts');
  await registerBackendModules(registry, settings, home);
}

function registerOwn(registry: Registry, entry: BackendEntry, origin: string): void {
  try {
    registry.register(entry);
  } catch (error) {
    if (!BatonError.is(error)) throw error;
    const message = `agents.${entry.id} (${origin}): ${error.message}`;
    throw new BatonError('config_invalid', message, { hint: 'Choose another name.' });
  }
}

/** Records errors of the settings. One about a name of the program's own backend does not prevent runs of that backend. */
function errorNoter(registry: Registry) {
  const brought = registry.entries().filter((entry) => !BUILT_IN.includes(entry));
  const names = new Set(brought.flatMap(({ id, aliases = [] }) => [id, ...aliases]));
  return (backend: string | undefined, act: () => void): void => {
    try {
      act();
    } catch (error) {
      if (!BatonError.is(error)) throw error;
      const isBrought = backend !== undefined && names.has(backend);
      registry.noteProblem(error.toJSON(), isBrought ? undefined : backend);
    }
  };
}
