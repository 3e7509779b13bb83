import { type AgentEvent, shortened, type Usage } from '@baton/protocol';
import type { WarningLog } from '@baton/runtime/contracts';
import type { Store } from '@baton/store';
import type { AgentChoice, ChannelAgents } from './agents/channel-agents.ts';
import type { ChannelAdapter } from './channel-adapter.ts';
import type { GatewayConfig } from './config/load-config.ts';
import { receiveFiles } from './files/receive-files.ts';
import type { HookManager } from './hooks/hook-manager.ts';
import { MarkdownConfigLoader } from './prompt/markdown-config-loader.ts';
import { SystemPromptAssembler } from './prompt/system-prompt-assembler.ts';
import type { Turn } from './queue/event-queue.ts';
import type { EventResult, GatewayEvent } from './queue/gateway-event.ts';
import { LiveReply } from './reply/live-reply.ts';
import type { ChatRequests } from './requests/chat-requests.ts';
import { AgentRuntime } from './runtime/agent-runtime.ts';

const TITLE_LENGTH = 80;

export type TurnRunnerOptions = {
  config: GatewayConfig;
  store: Store;
  agents: ChannelAgents;
  hooks: HookManager;
  requests: ChatRequests;
  log: WarningLog;
  adapterOf(channelId: string): ChannelAdapter;
  /** Aborts when nobody is left in a channel who could answer, such as at the end of a terminal's input. */
  silenceOf(channelId: string): AbortSignal;
};

type ActiveTurn = {
  readonly stop: AbortController;
  readonly startedAt: number;
  /** The conversation was ended meanwhile: its session is not kept. */
  isForgotten: boolean;
};

/** Runs messages with the agents of their channels, and shows in the chat what they do. */
export class TurnRunner {
  #options: TurnRunnerOptions;
  #loader: MarkdownConfigLoader;
  #assembler = new SystemPromptAssembler();
  #active = new Map<string, ActiveTurn>();
  /** Aborts when the gateway stops. */
  #closing = new AbortController();

  constructor(options: TurnRunnerOptions) {
    this.#options = options;
    const { configDir, workingDir } = options.config;
    this.#loader = new MarkdownConfigLoader(configDir, workingDir, options.log);
  }

  /** How long the message of a channel has been running; undefined if none runs. */
  runningMs(channelId: string): number | undefined {
    const active = this.#active.get(channelId);
    return active && this.#options.store.now() - active.startedAt;
  }

  /** Stops the message that runs in a channel; false if none does. */
  stop(channelId: string): boolean {
    const active = this.#active.get(channelId);
    active?.stop.abort();
    return active !== undefined;
  }

  /** Ends the conversation of a channel with its agent. */
  async forget(channelId: string): Promise<void> {
    const active = this.#active.get(channelId);
    if (active) active.isForgotten = true;
    await this.#removeSession(channelId);
  }

  /** Stops all messages; those that a daemon runs go on there, and the next start joins them. */
  close(): void {
    this.#closing.abort();
    if (this.#options.agents.place !== undefined) return;
    for (const { stop } of this.#active.values()) stop.abort();
  }

  /** The agent of a channel: the one that its users chose, or the gateway's own. */
  async choiceOf(channelId: string): Promise<AgentChoice> {
    const { config, store } = this.#options;
    const chosen = await store.gatewayChannels.get(channelId);
    const backend = chosen?.backend ?? config.agentBackend;
    const isOwn = backend === config.agentBackend;
    return { backend, model: chosen?.model ?? (isOwn ? config.backendModel : undefined) };
  }

  async run(event: GatewayEvent, turn: Turn): Promise<EventResult | undefined> {
    const { agents, log, store, adapterOf } = this.#options;
    const { channelId } = event;
    const adapter = adapterOf(channelId);
    const active = { stop: new AbortController(), startedAt: store.now(), isForgotten: false };
    this.#active.set(channelId, active);
    if (this.#closing.signal.aborted) this.close();
    const live = new LiveReply({ adapter, event, turn, log });
    try {
      const isRemote = agents.place !== undefined;
      const message = await receiveFiles(adapter, event, { isRemote, log });
      const result = await this.#process(message, turn, active, live).finally(message.remove);
      if (active.isForgotten) await this.#removeSession(channelId);
      if (!this.#closing.signal.aborted) return result;
      return isRemote ? undefined : this.#stopped(result);
    } finally {
      this.#active.delete(channelId);
      await live.end();
    }
  }

  async #process(
    { event, images }: Pick<Awaited<ReturnType<typeof receiveFiles>>, 'event' | 'images'>,
    turn: Turn,
    { stop }: ActiveTurn,
    live: LiveReply,
  ): Promise<EventResult> {
    const { config, store, agents, hooks, log, requests, adapterOf, silenceOf } = this.#options;
    const { channelId, messageId, text } = event;
    const choice = await this.choiceOf(channelId);
    const adapter = adapterOf(channelId);
    const place = { adapter, channelId, messageId, turnId: turn.id, cwd: config.workingDir };
    const backend = await agents.adapter(choice, {
      turnId: turn.id,
      conversationId: JSON.stringify([channelId, choice.backend, messageId]),
      title: `${adapter.platform}: ${shortened(text.replaceAll(/\s+/g, ' '), TITLE_LENGTH)}`,
      images,
      left: this.#closing.signal,
      ask: (pending, signal) =>
        requests.ask(place, pending, AbortSignal.any([signal, silenceOf(channelId)])),
    });
    const sessions = store.gatewaySessions;
    const parts = [sessions, this.#loader, this.#assembler, hooks] as const;
    const runtime = new AgentRuntime(config, backend, ...parts, { log });
    let usage: Usage | undefined;
    const result = await runtime.process(event, {
      agentStarts: turn.agentStarts,
      signal: stop.signal,
      onRetry: () => live.restart(),
      onEvent: async (seen: AgentEvent) => {
        live.see(seen);
        if (seen.type === 'run.completed') usage = seen.usage;
        await requests.settled(turn.id, seen);
      },
    });
    return usage === undefined ? result : { ...result, usage };
  }

  /** A run that this process stopped because it was told to stop itself. */
  #stopped(result: EventResult): EventResult {
    if (result.error === undefined) return result;
    const error = 'The gateway was stopped while the agent was working.';
    return { ...result, error, offerRetry: true };
  }

  async #removeSession(channelId: string): Promise<void> {
    const { store, agents } = this.#options;
    const { backend } = await this.choiceOf(channelId);
    await store.gatewaySessions.remove(channelId, agents.sessionName(backend));
  }
}
