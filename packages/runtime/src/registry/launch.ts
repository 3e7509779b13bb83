import type { AgentRun, LaunchRequest, OutputSchema, StructuredOf } from '@baton/protocol/values';
import { loadBackend } from './registry.ts';

/** Starts an agent in this program. */
export async function launch<const Schema extends OutputSchema = OutputSchema>({
  backend,
  ...request
}: LaunchRequest<Schema>): Promise<AgentRun<StructuredOf<Schema>>> {
  return (await loadBackend(backend)).run<Schema>(request);
}
