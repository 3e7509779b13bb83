import type { LaunchRequest } from '@baton/protocol';
import type { AgentRun } from './backend.ts';
import { loadBackend } from './registry.ts';

/** Starts an agent in this program. */
export async function launch({ backend, ...request }: LaunchRequest): Promise<AgentRun> {
  return (await loadBackend(backend)).run(request);
}
