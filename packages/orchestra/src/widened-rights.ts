import type { AgentStep, Chain, Step } from './chain.ts';

/** Something in a chain that lets an agent do more than it could by default. */
export type WidenedRight = {
  /** The path of the step: ids joined by slashes. */
  step: string;
  what: string;
  value: string;
};

/** What a chain allows its agents beyond the defaults, for display before the chain is trusted. */
export function widenedRights({ steps }: Pick<Chain, 'steps'>): WidenedRight[] {
  return steps.flatMap((step) => rightsOf(step, ''));
}

function rightsOf(step: Step, above: string): WidenedRight[] {
  const path = `${above}${step.id}`;
  if (step.kind === 'approval') return [];
  if (step.kind !== 'agent') return step.steps.flatMap((each) => rightsOf(each, `${path}/`));
  return rightsOfAgent(step).map(([what, value]) => ({ step: path, what, value }));
}

function rightsOfAgent({ permissionMode, command, env = {}, options }: AgentStep) {
  const { tools, settings, mcpConfig, rawArgs, providerOptions } = options;
  const rights: [what: string, value: string | undefined][] = [
    ['permission mode', permissionMode === 'allow-all' ? permissionMode : undefined],
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
