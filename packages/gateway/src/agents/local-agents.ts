import type { Baton } from '@baton/agents/registry/baton';
import { gatewayBackend, resolveBackendName, type WarningLog } from '@baton/contracts';
import { EmbeddedHost } from '@baton/host';
import { allAgents, originalAgents } from '../config/agent-list.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { ChannelAgents } from './channel-agents.ts';
import { ORIGINAL_STYLE } from './run-style.ts';

/**
 * The agents in this process, which keep their own sessions. With `allow-all` they are the four of the original gateway,
 * with its command lines; otherwise all agents.
 */
export function localAgents(
  baton: Baton,
  { config, settings }: Pick<LoadedConfig, 'config' | 'settings'>,
  log: WarningLog,
): ChannelAgents {
  const { registry } = baton;
  if (config.permissionMode !== 'allow-all') {
    const configured = baton.withSettings(settings);
    return new ChannelAgents({
      host: new EmbeddedHost({ baton, settings: () => settings }),
      list: allAgents(registry),
      programOf: (backend) => configured.givenBinary(backend)?.path,
      ...{ config, log },
    });
  }
  const programOf = (backend: string) =>
    backend === config.agentBackend ? config.backendCliPath : backend;
  const load = async (backend: string) =>
    gatewayBackend(resolveBackendName(backend), { streaming: true, binary: programOf(backend) });
  return new ChannelAgents({
    host: new EmbeddedHost({ baton, load }),
    list: originalAgents(registry),
    style: ORIGINAL_STYLE,
    ...{ config, log, programOf },
  });
}
