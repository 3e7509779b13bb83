import type { RunOptions } from '@baton/protocol';
import type { WarningLog } from '@baton/runtime/contracts';
import {
  backendEntries,
  configuredBackend,
  givenBinary,
  type Settings,
} from '@baton/runtime/internal';
import { nameOfBackend } from '../config/backend-name.ts';
import type { GatewayConfig } from '../config/load-config.ts';
import type { AgentChoice, ChannelAgents } from './channel-agents.ts';
import { LaunchAdapter } from './launch-adapter.ts';

/** All agents of Baton, in this process. */
export function localAgents(
  config: GatewayConfig,
  settings: Settings,
  log: WarningLog,
): ChannelAgents {
  return {
    names: backendEntries().map(({ id }) => nameOfBackend(id)),
    nameOf: nameOfBackend,
    sessionName: (backend) => backend,
    async adapter(choice, { ask, images }) {
      const backend = await configuredBackend(choice.backend, settings);
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
      const backend = await configuredBackend(name, settings);
      const { installed, path } = await backend.probe({ cwd: config.workingDir });
      return { isInstalled: installed, path: path ?? givenBinary(name, settings)?.path ?? name };
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
