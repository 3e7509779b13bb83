import type { ModelInfo, Probe } from '@baton/protocol';
import type { Backend } from '@baton/runtime';
import { executorEnvironment, keyVariables } from '../../pool/executor-environment.ts';

/** Asking starts the agent, so what it said counts for long; another version of it is asked at once. */
const FRESH_MS = 60 * 60 * 1000;

type Known = { models: ModelInfo[]; until: number };

/** The models of the agents on this machine, in the agents' own words. */
export class KnownModels {
  #now: () => number;
  #known = new Map<string, Known>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The models of an agent; none when it is not there or does not say. */
  async of(backend: Backend, { installed, path, version }: Probe): Promise<ModelInfo[]> {
    if (!installed) return [];
    const key = [backend.id, path, version].join(' ');
    const known = this.#known.get(key);
    if (known && this.#now() < known.until) return known.models;
    const models = await asked(backend);
    if (models.length > 0) this.#known.set(key, { models, until: this.#now() + FRESH_MS });
    return models;
  }
}

/** It gets what an executor would get: nothing of the daemon's own. */
async function asked(backend: Backend): Promise<ModelInfo[]> {
  const variables = await keyVariables(backend.id, process.env);
  const env = await executorEnvironment(process.env, { variables, keys: {} });
  // Whoever lists agents wants the others too.
  return (await backend.models?.(env).catch(() => [])) ?? [];
}
