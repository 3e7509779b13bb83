import { isInside } from '@baton/runtime/internal';
import { agentSteps } from './agent-steps.ts';
import type { AgentStep, Chain } from './chain.ts';
import { references } from './templates.ts';

/** Something in a chain that lets an agent do more than ask, in the folder of the chain. */
export type WidenedRight = {
  /** The path of the step: ids joined by slashes; empty for the whole chain. */
  step: string;
  what: string;
  value: string;
};

export type ChainPlace = {
  /** The folder of the chain. */
  folder: string;
  /** The environment variables that the file inserts into the chain. */
  variables: readonly string[];
};

/** Everything that a chain allows its agents beyond the defaults, for display before the chain is trusted. */
export function widenedRights(
  { steps }: Pick<Chain, 'steps'>,
  { folder, variables }: ChainPlace,
): WidenedRight[] {
  const inserted = { step: '', what: 'variables of yours', value: variables.join(', ') };
  return [
    ...(variables.length > 0 ? [inserted] : []),
    ...[...agentSteps(steps)].flatMap(({ path, step }) =>
      rightsOfAgent(step, folder).map(([what, value]) => ({ step: path, what, value })),
    ),
  ];
}

function rightsOfAgent(
  { permissionMode, command, cwd, env = {}, options }: AgentStep,
  folder: string,
) {
  const { tools, settings, mcpConfig, rawArgs, providerOptions } = options;
  const rights: [what: string, value: string | undefined][] = [
    ['permission mode', permissionMode === 'ask' ? undefined : permissionMode],
    ['folder', cwd === undefined || isWithin(folder, cwd) ? undefined : cwd],
    ['program', command && words(command)],
    ['arguments', rawArgs && words(rawArgs)],
    ['allowed tools', tools?.allowed?.join(', ')],
    ['MCP servers', typeof mcpConfig === 'object' ? servers(mcpConfig) : mcpConfig],
    ['settings', typeof settings === 'object' ? JSON.stringify(settings) : settings],
    ['provider options', providerOptions && JSON.stringify(providerOptions)],
    ['environment variables', Object.keys(env).join(', ')],
  ];
  return rights.filter((right): right is [string, string] => Boolean(right[1]));
}

/** False for a template too: an earlier agent may decide where it leads. */
function isWithin(folder: string, cwd: string): boolean {
  return references(cwd).length === 0 && isInside(folder, cwd, { orEqual: true });
}

/** A command line that shows where each of its words begins and ends. */
function words(list: readonly string[]): string {
  return list.map((word) => (/^[\w./:=@%+-]+$/.test(word) ? word : JSON.stringify(word))).join(' ');
}

/** Each server with what it runs or connects to. */
function servers({ mcpServers }: Exclude<AgentStep['options']['mcpConfig'], string | undefined>) {
  return Object.entries(mcpServers)
    .map(([name, server]) => {
      if ('url' in server && typeof server.url === 'string') return `${name} (${server.url})`;
      const { command, args } = server as { command: string; args?: string[] };
      return `${name} (${words([command, ...(args ?? [])])})`;
    })
    .join(', ');
}
