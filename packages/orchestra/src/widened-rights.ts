import { isInside } from '@baton/config/paths/is-inside';
import { resolveLinks } from '@baton/config/paths/resolve-links';
import { array, object } from '@baton/config/values/json';
import { agentSteps } from './agent-steps.ts';
import type { AgentStep, Chain } from './chain.ts';
import { plainText } from './templates.ts';

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
  const path = plainText(cwd);
  return path !== undefined && isInside(folder, path, { orEqual: true });
}

/** The real paths of folders outside that steps work in, for the hash of a chains file: a link may change. */
export function foldersElsewhere({ steps }: Pick<Chain, 'steps'>, folder: string): string[] {
  return [...agentSteps(steps)].flatMap(({ step: { cwd } }) => {
    const path = cwd === undefined ? undefined : plainText(cwd);
    if (path === undefined || isInside(folder, path, { orEqual: true })) return [];
    return [resolveLinks(folder, path) ?? path];
  });
}

/** A command line that shows where each of its words begins and ends. */
function words(list: readonly string[]): string {
  return list.map((word) => (/^[\w./:=@%+-]+$/.test(word) ? word : JSON.stringify(word))).join(' ');
}

/** Each server with everything that an agent may run or connect to for it. Values of variables and headers stay secret. */
function servers({ mcpServers }: Exclude<AgentStep['options']['mcpConfig'], string | undefined>) {
  return Object.entries(mcpServers)
    .map(([name, server]) => {
      const { url, command, args, env, headers: _, type: __, ...further } = object(server);
      const program = [command, ...array(args)].filter((each) => each !== undefined);
      const variables = Object.keys(object(env));
      const parts = [
        url === undefined ? '' : words([String(url)]),
        words(program.map(String)),
        variables.length > 0 ? `environment variables: ${variables.join(' ')}` : '',
        // Agents know more than these, such as a program that prints headers.
        ...Object.entries(further).map(([key, value]) => `${key}: ${JSON.stringify(value)}`),
      ];
      return `${name} (${parts.filter(Boolean).join(', ')})`;
    })
    .join(', ');
}
