import { createHash } from 'node:crypto';
import type { Baton } from '@baton/agents/registry/baton';
import type { McpServer } from '@baton/protocol';
import type { Store, TaskRow } from '@baton/store';
import { enabledMcpServers } from '../security/mcp-config.ts';
import type { SealedBox } from '../security/sealed-box.ts';
import { readSettings } from '../settings/read-settings.ts';
import { agentKeys } from './agent-keys.ts';
import { executorEnvironment, keyVariables } from './executor-environment.ts';

/** Environment and settings that an executor is started with, besides its task. */
type Equipment = {
  env: Awaited<ReturnType<typeof executorEnvironment>>;
  /** With their secrets. */
  mcpServers: Record<string, McpServer>;
  /** True if its agent is kept ready for the next task. */
  keepsAgent: boolean;
  /** Hash of the equipment and isolation; reveals none of the secrets. */
  mark: string;
};

/** Returns the current equipment for the executor of a task: keys, MCP servers, isolation. */
export async function equipmentFor(
  { baton: { registry }, store, box }: { baton: Baton; store: Store; box: SealedBox },
  { backend, created_by: userId }: TaskRow,
): Promise<Equipment> {
  const settings = await readSettings(store);
  const variables = await keyVariables(registry, backend, process.env);
  const keys = await agentKeys(store, box, { userId, variables });
  const onlyPassed = passedVariables(settings);
  const env = await executorEnvironment(registry, process.env, { variables, keys }, { onlyPassed });
  const mcpServers = await enabledMcpServers(store, box);
  const isolation = Object.entries(settings).filter(([name]) => ISOLATION.has(name));
  const facts = JSON.stringify([isolation, keys, mcpServers]);
  return {
    env,
    mcpServers,
    keepsAgent: settings['executors.keep_open_ms'] > 0,
    mark: createHash('sha256').update(facts).digest('hex'),
  };
}

/** Returns the variables for scripts of workspaces: those of an agent that takes no key. */
export async function scriptVariables({
  baton: { registry },
  store,
}: {
  baton: Baton;
  store: Store;
}): Promise<Equipment['env']> {
  const onlyPassed = passedVariables(await readSettings(store));
  return executorEnvironment(registry, process.env, { variables: [], keys: {} }, { onlyPassed });
}

/** Names of the variables that isolated agents get beside the usual ones; undefined if agents are not isolated. */
function passedVariables(
  settings: Awaited<ReturnType<typeof readSettings>>,
): readonly string[] | undefined {
  return settings['executors.isolation'] === 'none' ? undefined : settings['executors.variables'];
}

const ISOLATION: ReadonlySet<string> = new Set([
  'executors.isolation',
  'executors.isolation_network',
  'executors.unix_user',
  'executors.variables',
]);
