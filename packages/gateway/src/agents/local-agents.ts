import type { RunOptions } from '@baton/protocol';
import type { WarningLog } from '@baton/runtime/contracts';
import type { Baton } from '@baton/runtime/internal';
import { nameOfBackend, namesOfBackends } from '../config/backend-name.ts';
import type { GatewayConfig } from '../config/load-config.ts';
import type { AgentChoice, ChannelAgents } from './channel-agents.ts';
import { LaunchAdapter } from './launch-adapter.ts';

/** All agents of Baton, in this process. */
export function localAgents(baton: Baton, config: GatewayConfig, log: WarningLog): ChannelAgents {
  const { registry } = baton;
  return {
    names: namesOfBackends(registry),
    nameOf: (text) => nameOfBackend(registry, text),
    sessionName: (backend) => backend,
    async adapter(choice, { ask, images }) {
      const backend = await baton.loadBackend(choice.backend);
      return new LaunchAdapter({
        name: choice.backend,
        label: backend.label,
        capabilities: backend.capabilities,
        options: launchOptions(config, choice, images),
        timeoutMs: config.queryTimeoutMs,
        ask,
        log,
        isInstalled: async () => (await backend.probe({ cwd: config.workingDir })).installed,
        start: async ({ prompt, options, sessionId, signal }) => {
          const resume = sessionId === undefined ? {} : { resume: sessionId };
          return { run: backend.run({ ...options, ...resume, prompt, signal }) };
        },
      });
    },
    async validate(name) {
      const backend = await baton.loadBackend(name);
      const { installed, path } = await backend.probe({ cwd: config.workingDir });
      return { isInstalled: installed, path: path ?? baton.givenBinary(name)?.path ?? name };
    },
  };
}

/** The options of a run that does not use a `BackendAdapter`. */
export function launchOptions(
  { workingDir, permissionMode, backendMaxTurns, allowedTools, retries }: GatewayConfig,
  { model }: AgentChoice,
  images: MessageImages,
): RunOptions {
  return {
    cwd: workingDir,
    permissionMode,
    maxTurns: backendMaxTurns,
    retry: { attempts: retries },
    ...(allowedTools.length > 0 ? { tools: { allowed: [...allowedTools] } } : {}),
    ...(model === undefined ? {} : { model }),
    ...(images.length > 0 ? { images: [...images] } : {}),
  };
}

type MessageImages = readonly NonNullable<RunOptions['images']>[number][];
