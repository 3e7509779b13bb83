import { loadBackend } from '@baton/agents/registry/default-baton';
import type { RunInput } from '@baton/engine/definition/backend';
import type { LaunchedCommand } from '@baton/protocol';
import type { AgentWorld } from './agents.ts';

/** Makes a function that runs prompts through the library, to the last event. */
export async function batonIn(
  { agent, cwd, env, binary }: AgentWorld,
  options: Omit<RunInput, 'cwd' | 'env'>,
): Promise<() => Promise<LaunchedCommand>> {
  const backend = await loadBackend(agent, { binary });
  return async () => {
    const launched = Promise.withResolvers<LaunchedCommand>();
    const run = backend.run({ ...options, cwd, env, onLaunch: launched.resolve });
    for await (const event of run) {
      if (event.type !== 'run.completed' || event.outcome === 'done') continue;
      throw new Error(`The run failed: ${event.error?.message}`);
    }
    return launched.promise;
  };
}
