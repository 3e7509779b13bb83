import type { Introduction, Probe } from '@baton/protocol';
import type { Backend } from '@baton/runtime';
import { executorEnvironment, keyVariables } from '../../pool/executor-environment.ts';

/** Asking starts the agent, so what it said counts for long; another version of it is asked at once. */
const FRESH_MS = 60 * 60 * 1000;

type Known = { introduction: Introduction; until: number };

const NOTHING: Introduction = { models: [], commands: [] };

/** What the agents on this machine have, in their own words. */
export class Introductions {
  #now: () => number;
  #known = new Map<string, Known>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Lets an agent be asked again. */
  forget(id: string): void {
    for (const key of this.#known.keys()) if (key.startsWith(`${id} `)) this.#known.delete(key);
  }

  /** The models and commands of an agent; none when it is not there or does not say. */
  async of(
    backend: Backend,
    { installed, path, version }: Probe,
    workspaces: () => Promise<readonly string[]>,
  ): Promise<Introduction> {
    if (!installed) return NOTHING;
    const key = [backend.id, path, version].join(' ');
    const known = this.#known.get(key);
    if (known && this.#now() < known.until) return known.introduction;
    const introduction = await asked(backend, await workspaces());
    const { models, commands } = introduction;
    if (models.length + commands.length > 0) {
      this.#known.set(key, { introduction, until: this.#now() + FRESH_MS });
    }
    return introduction;
  }
}

/** It gets what an executor would get: nothing of the daemon's own. */
async function asked(backend: Backend, workspaces: readonly string[]): Promise<Introduction> {
  const variables = await keyVariables(backend.id, process.env);
  const env = await executorEnvironment(process.env, { variables, keys: {} });
  // Whoever lists agents wants the others too.
  return (await backend.introduce?.(env, workspaces).catch(() => NOTHING)) ?? NOTHING;
}
