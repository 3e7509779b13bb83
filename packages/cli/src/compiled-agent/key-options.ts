import { safe } from '../view/style.ts';
import type { AgentOptions } from './translate.ts';

/** The options of a run for people; long and secret values are only named. */
export function keyOptions(options: AgentOptions): string {
  const { systemPrompt, env, mcpConfig, settings, providerOptions, tools, outputSchema } = options;
  const shown: Record<string, unknown> = {
    mode: options.mode ?? 'interactive',
    transport: options.transport,
    permissionMode: options.permissionMode,
    model: options.model,
    maxTurns: options.maxTurns,
    budgetUsd: options.budgetUsd,
    resume: options.resume,
    cwd: options.cwd,
    systemPrompt: systemPrompt && `${systemPrompt.length} characters`,
    'tools.allowed': tools?.allowed,
    'tools.disallowed': tools?.disallowed,
    mcpServers: typeof mcpConfig === 'object' ? Object.keys(mcpConfig.mcpServers) : mcpConfig,
    settings: typeof settings === 'object' ? Object.keys(settings) : settings,
    providerOptions: providerOptions && Object.keys(providerOptions),
    env: env && Object.keys(env),
    outputSchema: outputSchema && 'set',
    timeouts: options.timeouts && JSON.stringify(options.timeouts),
  };
  return Object.entries(shown)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => safe(`${name}=${Array.isArray(value) ? value.join(',') : value}`))
    .join(' ');
}
