import { BatonError, delay } from '@baton/protocol';
import type { Store } from '@baton/store';
import type { ChannelAgents } from './agents/channel-agents.ts';
import type { ChannelAdapter } from './channel-adapter.ts';
import type { CommandTarget } from './commands/chat-commands.ts';
import type { GatewayConfig } from './config/load-config.ts';
import type { GatewayLog } from './gateway-log.ts';
import type { HookManager } from './hooks/hook-manager.ts';
import { Inbox } from './inbox.ts';
import { MessageQueue } from './queue/message-queue.ts';
import { sendAnswer } from './reply/send-answer.ts';
import { ChatRequests } from './requests/chat-requests.ts';
import { TurnRunner } from './turn-runner.ts';

/** Rules of a daemon settle a request within this time; a request that waits longer needs a user. */
const DAEMON_RULES_MS = 500;
/** Shorter than the time limit of platforms for the acknowledgement of a press. */
const REOPEN_MS = 2000;
/** Maximum wait at shutdown for platforms that do not accept the last replies; the next start sends them. */
const LAST_REPLIES_MS = 10_000;

export type GatewayOptions = {
  config: GatewayConfig;
  store: Store;
  adapters: readonly ChannelAdapter[];
  agents: ChannelAgents;
  hooks: HookManager;
  log: GatewayLog;
};

/** Connects chat platforms with agents: stores the messages of allowed users, runs them, and replies. */
export class Gateway {
  #options: GatewayOptions;
  #requests: ChatRequests;
  #runner: TurnRunner;
  #queue: MessageQueue;
  #inboxes: ReadonlyMap<ChannelAdapter, Inbox>;
  /** Aborts per platform when no user there can answer any more. */
  #silences: ReadonlyMap<string, AbortController>;
  /** Aborts when replies are no longer repeated. */
  #closing = new AbortController();
  #ended = Promise.withResolvers<void>();
  #stopped: Promise<void> | undefined;

  constructor(options: GatewayOptions) {
    const { config, store, adapters, agents, hooks, log } = options;
    const { place } = agents;
    this.#options = options;
    this.#ended.promise.catch(() => {});
    this.#silences = new Map(adapters.map(({ platform }) => [platform, new AbortController()]));
    this.#requests = new ChatRequests({
      // A daemon has its own policy for requests that nobody answers.
      timeoutMs: place === undefined ? config.requestTimeoutMs : 0,
      showAfterMs: place === undefined ? 0 : DAEMON_RULES_MS,
      reopenMs: place === undefined ? 0 : REOPEN_MS,
      log,
    });
    this.#runner = new TurnRunner({
      ...{ config, store, agents, hooks, log },
      requests: this.#requests,
      adapterOf: (channelId) => this.#adapterOf(channelId),
      silenceOf: (channelId) => this.#silenceOf(channelId).signal,
    });
    this.#queue = new MessageQueue({
      events: store.gatewayEvents,
      concurrency: config.concurrency,
      place,
      log,
      now: store.now,
      serves: (channelId) => this.#silences.has(platformOf(channelId)),
      run: (event, turn) => this.#runner.run(event, turn),
      reply: async (event, result, turn) => {
        await this.#runner.draftEnded(turn);
        const adapter = this.#adapterOf(event.channelId);
        await sendAnswer({ adapter, event, turn }, result, this.#closing.signal);
      },
      ended: ({ channelId, messageId }) =>
        this.#adapterOf(channelId).onSettled?.(channelId, messageId),
    });
    this.#inboxes = new Map(adapters.map((adapter) => [adapter, this.#inboxOf(adapter)]));
  }

  /** Settles when all platforms have ended: rejects with the error of the first one that failed. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Checks the agent, connects, stores missed messages, and continues where the last process ended. */
  async start(): Promise<void> {
    const { hooks } = this.#options;
    await this.#checkBackend();
    await hooks.run('startup');
    for (const [adapter, inbox] of this.#inboxes) {
      if (this.#stopped) return;
      await this.#storeHeads(adapter);
      await adapter.start(inbox);
      await inbox.catchUp();
    }
    await this.#queue.start();
  }

  /** Resolves when no message waits or runs. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  /**
   * Stops agents, sends the last replies and disconnects. Waiting messages stay stored. A second call does not wait for
   * replies that a platform does not accept.
   */
  stop(): Promise<void> {
    if (this.#stopped) this.#closing.abort();
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    const { adapters, hooks } = this.#options;
    this.#runner.close();
    const isStopped = new AbortController();
    const stopped = this.#queue.stop().finally(() => isStopped.abort());
    await delay(LAST_REPLIES_MS, AbortSignal.any([isStopped.signal, this.#closing.signal]));
    this.#closing.abort();
    // This also ends what a platform does not take; the next start sends it.
    await Promise.allSettled(adapters.map((adapter) => adapter.stop()));
    await stopped;
    await hooks.run('shutdown');
  }

  /** Remembers where new channels begin: what is written there before the first message is stored can be fetched. */
  async #storeHeads(adapter: ChannelAdapter): Promise<void> {
    const { config, store } = this.#options;
    const known = await store.gatewayChannels.lastMessages();
    const heads = await adapter.heads?.(config.access, known);
    for (const [channelId, messageId] of heads ?? []) {
      if (!known.has(channelId)) await store.gatewayChannels.seen(channelId, messageId);
    }
  }

  async #checkBackend(): Promise<void> {
    const { agents, config, log } = this.#options;
    const { agentBackend } = config;
    const { isInstalled, path } = await agents.validate(agentBackend);
    if (!isInstalled && agents.place !== undefined) {
      throw new BatonError(
        'backend_not_found',
        `Backend "${agentBackend}" is not installed where the daemon ${agents.place} runs agents.`,
        { hint: 'Install the agent there, or set AGENT_BACKEND to another one.' },
      );
    }
    if (!isInstalled) {
      throw new BatonError(
        'backend_not_found',
        `Backend "${agentBackend}" cannot be started: ${path} was not found or is not executable.`,
        { hint: 'Install the agent, or set BACKEND_CLI_PATH to the path of its program.' },
      );
    }
    log.info(`Backend: ${agentBackend} (${path})`);
  }

  #inboxOf(adapter: ChannelAdapter): Inbox {
    const { config, store, log } = this.#options;
    return new Inbox({
      adapter,
      access: config.access,
      requiresMention: config.requireMention,
      queue: this.#queue,
      requests: this.#requests,
      log,
      now: store.now,
      lastMessages: () => store.gatewayChannels.lastMessages(),
      seen: (channelId, messageId) => store.gatewayChannels.seen(channelId, messageId),
      target: (channelId) => this.#commandTarget(channelId),
      onEnd: (error) => this.#adapterEnded(adapter, error),
    });
  }

  #adapterEnded({ platform }: ChannelAdapter, error: Error | undefined): void {
    this.#silences.get(platform)?.abort();
    if (error) this.#ended.reject(error);
    const haveAllEnded = [...this.#silences.values()].every(({ signal }) => signal.aborted);
    if (haveAllEnded) this.#ended.resolve();
  }

  #adapterOf(channelId: string): ChannelAdapter {
    const platform = platformOf(channelId);
    const adapter = this.#options.adapters.find((each) => each.platform === platform);
    if (adapter) return adapter;
    throw new BatonError('internal', `The gateway is not connected to ${platform}.`);
  }

  #silenceOf(channelId: string): AbortController {
    return this.#silences.get(platformOf(channelId)) ?? this.#closing;
  }

  #commandTarget(channelId: string): CommandTarget {
    const { config, store, agents } = this.#options;
    const runner = this.#runner;
    return {
      stop: () => this.#queue.cancel(channelId),
      forget: () => runner.forget(channelId),
      backends: agents.names,
      async status() {
        const choice = await runner.choiceOf(channelId);
        const name = agents.sessionName(choice.backend);
        const { usage } = (await store.gatewayChannels.get(channelId)) ?? {};
        const { branch, cwd = config.workingDir } =
          (await store.gatewayChannels.workspaceOf(channelId)) ?? {};
        return {
          backend: choice.backend,
          model: choice.model,
          permissionMode: config.permissionMode,
          place: agents.place,
          workingDir: cwd,
          branch: branch ?? undefined,
          session: await store.gatewaySessions.get(channelId, name),
          runningMs: runner.runningMs(channelId),
          waiting: await store.gatewayEvents.pendingIn(channelId),
          usage: usage ? JSON.parse(usage) : undefined,
        };
      },
      async chooseBackend(text) {
        const name = text === undefined ? undefined : agents.nameOf(text);
        if (name !== undefined && !(await agents.validate(name)).isInstalled) {
          throw new BatonError('backend_not_found', `${name} is not installed.`);
        }
        await store.gatewayChannels.choose(channelId, { backend: name ?? null, model: null });
        return name ?? config.agentBackend;
      },
      chooseModel: (model) => store.gatewayChannels.choose(channelId, { model: model ?? null }),
    };
  }
}

function platformOf(channelId: string): string {
  return channelId.slice(0, channelId.indexOf(':'));
}
