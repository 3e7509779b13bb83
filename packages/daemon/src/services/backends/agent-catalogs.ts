import type { Registry } from '@baton/agents/registry/registry';
import type { Backend } from '@baton/engine/definition/backend';
import type { AgentCatalog, Probe } from '@baton/protocol';
import { executorEnvironment, keyVariables } from '../../pool/executor-environment.ts';

/**
 * Querying starts the agent, so its response is cached for long; another version of the agent is queried immediately.
 */
const FRESH_MS = 60 * 60 * 1000;

type Known = { catalog: AgentCatalog; until: number };

const NOTHING: AgentCatalog = { models: [], commands: [] };

/** Models and commands that the agents on this machine report. */
export class AgentCatalogs {
  #registry: Registry;
  #now: () => number;
  #known = new Map<string, Known>();

  constructor(registry: Registry, now: () => number) {
    this.#registry = registry;
    this.#now = now;
  }

  /** Drops the cached catalog of an agent. */
  forget(id: string): void {
    for (const key of this.#known.keys()) if (key.startsWith(`${id} `)) this.#known.delete(key);
  }

  /** Returns the models and commands of an agent; empty if it is not installed or does not report them. */
  async of(
    backend: Backend,
    { installed, path, version }: Probe,
    workspaces: () => Promise<readonly string[]>,
  ): Promise<AgentCatalog> {
    if (!installed) return NOTHING;
    const key = [backend.id, path, version].join(' ');
    const known = this.#known.get(key);
    if (known && this.#now() < known.until) return known.catalog;
    const catalog = await asked(this.#registry, backend, await workspaces());
    const { models, commands } = catalog;
    if (models.length + commands.length > 0) {
      this.#known.set(key, { catalog, until: this.#now() + FRESH_MS });
    }
    return catalog;
  }
}

/** Queries an agent with the environment of an executor, without the daemon's own secrets. */
async function asked(
  registry: Registry,
  backend: Backend,
  workspaces: readonly string[],
): Promise<AgentCatalog> {
  const variables = await keyVariables(registry, backend.id, process.env);
  const env = await executorEnvironment(registry, process.env, { variables, keys: {} });
  // One failing agent must not break the list.
  return (await backend.queryCatalog?.(env, workspaces).catch(() => NOTHING)) ?? NOTHING;
}
