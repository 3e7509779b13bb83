import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Baton } from '@baton/agents/registry/baton';
import { RemoteHost } from '@baton/client';
import {
  allAgents,
  type ChannelAdapter,
  ChannelAgents,
  DiscordAdapter,
  Gateway,
  type GatewayConfig,
  type GatewayLog,
  HookManager,
  type LoadedConfig,
  localAgents,
  startHook,
  storedResult,
  TERMINAL_CHANNEL,
  TERMINAL_USER,
  TerminalAdapter,
  WebhookAdapter,
} from '@baton/gateway';
import { sweepOrphans } from '@baton/process';
import { BatonError } from '@baton/protocol/values';
import { lockFolder, openStore, type Store } from '@baton/store';
import { type Command, isSet, type Parsed } from '../../arguments/command.ts';
import { EXIT } from '../../exit-codes.ts';
import { withDaemon } from '../../remote/with-daemon.ts';
import { hideSecrets } from '../../secret-variables.ts';
import { errorLines } from '../../view/error-lines.ts';
import { CommandLog } from './command-log.ts';
import {
  checkFolders,
  dataFolder,
  gatewayConfig,
  redacted,
  secretsOf,
  usesDaemon,
} from './gateway-setup.ts';

type Setup = LoadedConfig & { parsed: Parsed; log: CommandLog };

/** Runs the gateway until it is stopped. If it cannot start, the exit code is 1, as in the original gateway. */
export async function runGateway(command: Command, parsed: Parsed, baton: Baton): Promise<number> {
  let secrets: readonly string[] = [];
  try {
    const loaded = await withDefaultWorkspace(gatewayConfig(command, parsed, baton));
    secrets = secretsOf(loaded.config);
    const log = new CommandLog(secrets, {
      isAttended: isSet(parsed, 'terminal') && !isSet(parsed, 'verbose'),
    });
    const setup = { ...loaded, parsed, log };
    for (const warning of loaded.warnings) log.warn(warning);
    checkFolders(loaded.config, parsed);
    if (!usesDaemon(parsed)) {
      return await serve(setup, localAgents(baton, loaded, log));
    }
    const { config } = loaded;
    const list = allAgents(baton.registry);
    return await withDaemon(command, parsed, (client) =>
      serve(setup, new ChannelAgents({ host: new RemoteHost(client), list, config, log })),
    );
  } catch (error) {
    if (!BatonError.is(error) || error.code === 'usage') throw error;
    process.stderr.write(`${redacted(errorLines(error.toJSON()).join('\n'), secrets)}\n`);
    return EXIT.failed;
  }
}

/** Every channel has a worktree if the settings of the folder choose that, and those of the gateway name no channel. */
async function withDefaultWorkspace(loaded: LoadedConfig): Promise<LoadedConfig> {
  const { config } = loaded;
  if (config.worktrees.length > 0) return loaded;
  const { defaultKind } = await import('@baton/workspaces');
  const kind = await defaultKind({ folder: config.workingDir });
  return kind === 'worktree' ? { ...loaded, config: { ...config, worktrees: ['*'] } } : loaded;
}

async function serve(setup: Setup, agents: ChannelAgents): Promise<number> {
  const { parsed, log, config } = setup;
  const folder = dataFolder(parsed, config);
  const unlock = lockFolder(folder, { program: 'gateway', option: '--data' });
  let store: Store | undefined;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    store = await openStore({ url: join(folder, 'gateway.db') });
    const adapters = adaptersOf(setup, store);
    hideSecrets();
    // An agent of a gateway that was killed must not go on beside its successor.
    const { killed } = await sweepOrphans();
    if (killed > 0) log.warn(`Stopped ${killed} processes that a killed gateway left behind.`);
    const hooks = new HookManager(config.hooks, { start: startHook, log });
    const gateway = new Gateway({
      config: isSet(parsed, 'terminal') ? withTerminal(config) : config,
      ...{ store, adapters, agents, hooks, log },
    });
    const exitCode = await untilStopped(gateway, adapters, log);
    if (isSet(parsed, 'terminal')) await tellWaiting(store, log);
    return exitCode;
  } finally {
    await store?.close();
    unlock();
  }
}

/** Warns about messages that run at the next start, which a user at a terminal would not expect. */
async function tellWaiting(store: Store, log: GatewayLog): Promise<void> {
  const waiting = await store.gatewayEvents.pendingIn(TERMINAL_CHANNEL);
  if (waiting === 0) return;
  const messages = waiting === 1 ? '1 message waits' : `${waiting} messages wait`;
  log.warn(`${messages} for the next start in this folder.`);
}

function adaptersOf({ parsed, log, config }: Setup, store: Store): ChannelAdapter[] {
  if (isSet(parsed, 'terminal')) {
    const { stdin: input, stdout: output } = process;
    const adapter = new TerminalAdapter({ input, output, userId: TERMINAL_USER });
    // On the same terminal, a line that is written past the adapter would end up in the middle of an answer.
    if (output.isTTY && process.stderr.isTTY) log.writeTo((line) => adapter.note(line));
    return [adapter];
  }
  const { discord, webhook, access } = config;
  const adapters: ChannelAdapter[] = [];
  if (discord) {
    const { directMessages } = access;
    adapters.push(new DiscordAdapter({ ...discord, directMessages, log }));
  }
  if (webhook) {
    const resultOf = (channelId: string, messageId: string) =>
      storedResult(store.gatewayEvents, channelId, messageId);
    const { gatewaySignatures: replays } = store;
    adapters.push(new WebhookAdapter({ ...webhook, replays, log, resultOf }));
  }
  if (adapters.length > 0) return adapters;
  throw new BatonError('config_invalid', 'The gateway has nothing to connect to.', {
    hint: 'Run "baton gateway init", set BATON_DISCORD_TOKEN, or talk in this terminal with --terminal.',
  });
}

/** Allows the user who starts the gateway to talk to it. */
function withTerminal(config: GatewayConfig): GatewayConfig {
  const { access } = config;
  return {
    ...config,
    access: {
      ...access,
      users: [...access.users, TERMINAL_USER],
      channels: [...access.channels, TERMINAL_CHANNEL],
    },
  };
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

async function untilStopped(
  gateway: Gateway,
  adapters: readonly ChannelAdapter[],
  log: GatewayLog,
): Promise<number> {
  const told = Promise.withResolvers<'told'>();
  let stopped: Promise<void> | undefined;
  const onSignal = () => {
    told.resolve('told');
    // Told twice: the replies that wait for their platform are sent after the next start.
    if (stopped) void gateway.stop();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  try {
    const starting = gateway.start().then(() => 'started');
    // If it fails after it was told to stop, the stop is what counts.
    starting.catch(() => {});
    const started = await Promise.race([starting, told.promise]);
    if (started === 'started') {
      log.info(`Ready: ${adapters.map(({ platform }) => platform).join(', ')}`);
      const ending = gateway.ended.then(() => gateway.idle());
      await Promise.race([ending, told.promise]);
    }
    return EXIT.done;
  } finally {
    log.info('Stopping.');
    stopped = gateway.stop();
    await stopped;
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}
