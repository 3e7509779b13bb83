import type { Registry } from '@baton/agents/registry/registry';
import { BACKEND_NAMES, resolveBackendName } from '@baton/contracts';
import type { BackendEntry } from '@baton/engine/definition/backend-entry';

/** The agents that users can choose. */
export type AgentList = {
  /** Their names as people type them. */
  readonly names: readonly string[];
  /** Returns the name of the agent that a user has typed; throws if there is none. */
  nameOf(text: string): string;
  /** Describes an agent by its name. */
  describe(name: string): Pick<BackendEntry, 'label' | 'capabilities'>;
};

/** All agents of a registry. */
export function allAgents(registry: Registry): AgentList {
  return {
    names: registry.entries().map(shortestName),
    nameOf: (text) => shortestName(registry.entry(text)),
    describe: (name) => registry.entry(name),
  };
}

/** The four agents of the original gateway. */
export function originalAgents(registry: Registry): AgentList {
  return {
    ...allAgents(registry),
    names: BACKEND_NAMES,
    nameOf: (text) => resolveBackendName(text.trim().toLowerCase()),
  };
}

function shortestName({ id, aliases = [] }: BackendEntry): string {
  return aliases.reduce((best, name) => (name.length < best.length ? name : best), id);
}
