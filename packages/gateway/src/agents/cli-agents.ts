import {
  type BackendName,
  createBackend,
  resolveBackendName,
  type WarningLog,
} from '@baton/runtime/contracts';
import type { GatewayConfig } from '../config/load-config.ts';
import type { AgentChoice, ChannelAgents } from './channel-agents.ts';

const NAMES: readonly BackendName[] = ['claude', 'codex', 'gemini', 'opencode'];

/** The four agents with a `BackendAdapter`, which run every tool without asking. */
export function cliAgents(config: GatewayConfig, log: WarningLog): ChannelAgents {
  const pathOf = (backend: string) =>
    backend === config.agentBackend ? config.backendCliPath : backend;
  const create = ({ backend, model }: AgentChoice) => {
    const { workingDir, queryTimeoutMs, allowedTools, backendMaxTurns } = config;
    return createBackend(
      resolveBackendName(backend),
      {
        cliPath: pathOf(backend),
        workingDir,
        queryTimeoutMs,
        allowedTools: [...allowedTools],
        maxTurns: backendMaxTurns,
        ...(model === undefined ? {} : { model }),
      },
      log,
    );
  };
  return {
    names: NAMES,
    nameOf: (text) => resolveBackendName(text.trim().toLowerCase()),
    sessionName: (backend) => backend,
    adapter: async (choice) => create(choice),
    validate: async (backend) => ({
      isInstalled: await create({ backend }).validate(),
      path: pathOf(backend),
    }),
  };
}
