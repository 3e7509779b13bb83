import { createHash } from 'node:crypto';
import type { BatonClient } from '@baton/client';
import type { WarningLog } from '@baton/runtime/contracts';
import type { Registry } from '@baton/runtime/internal';
import { nameOfBackend, namesOfBackends } from '../config/backend-name.ts';
import type { GatewayConfig } from '../config/load-config.ts';
import type { ChannelAgents } from './channel-agents.ts';
import { LaunchAdapter } from './launch-adapter.ts';
import { launchOptions } from './local-agents.ts';

/** A daemon that takes longer than this to take a message is not there. */
const SLOW_MS = 5000;

/** All agents of Baton, through a daemon: its page shows the conversations, and requests can be answered there too. */
export function daemonAgents(
  registry: Registry,
  client: BatonClient,
  url: string,
  config: GatewayConfig,
  log: WarningLog,
): ChannelAgents {
  // Another daemon has other sessions, and the gateway's own process has those of the agents.
  const sessionName = (backend: string) => `${backend}@${url}`;
  return {
    place: url,
    sessionName,
    names: namesOfBackends(registry),
    nameOf: (text) => nameOfBackend(registry, text),
    async adapter(choice, context) {
      const { label, capabilities } = registry.entry(choice.backend);
      return new LaunchAdapter({
        name: sessionName(choice.backend),
        label,
        capabilities,
        options: launchOptions(config, choice, context.images),
        timeoutMs: config.queryTimeoutMs,
        ask: context.ask,
        left: context.left,
        log,
        isInstalled: () => isInstalled(client, registry.entry(choice.backend).id),
        async start({ prompt, options, sessionId, signal }) {
          const waits = () =>
            log.warn(`The daemon at ${url} does not answer. A message waits for it.`);
          const timer = setTimeout(waits, SLOW_MS);
          const launched = client.launch({
            ...options,
            prompt,
            signal,
            backend: choice.backend,
            // A message that is run again after a restart joins its run, in the session that it began.
            ...(sessionId === undefined
              ? { newSession: uuidOf(context.conversationId) }
              : { batonSession: sessionId }),
            taskId: uuidOf(context.turnId),
            onConnection: (state) =>
              log.warn(
                `The daemon at ${url} ${state === 'lost' ? 'does not answer' : 'answers again'}.`,
              ),
            title: context.title,
          });
          const run = await launched.finally(() => clearTimeout(timer));
          return { run, sessionId: run.task.session_id };
        },
      });
    },
    async validate(backend) {
      return { isInstalled: await isInstalled(client, registry.entry(backend).id), path: url };
    },
  };
}

async function isInstalled(client: BatonClient, id: string): Promise<boolean> {
  const { probe } = await client.backends.get(id);
  return probe.installed;
}

/** The same UUID for the same text. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = (Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8;
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant.toString(16)}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
