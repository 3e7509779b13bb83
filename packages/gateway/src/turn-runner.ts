import { randomBytes } from 'node:crypto';
import type { WarningLog } from '@baton/contracts';
import { addUsage, shortened, type Usage, type WorkspaceRequest } from '@baton/protocol';
import type { Store } from '@baton/store';
import type {
  AgentChoice,
  ChannelAgents,
  MessageContext,
  Prompt,
} from './agents/channel-agents.ts';
import type { ChannelAdapter } from './channel-adapter.ts';
import type { GatewayConfig } from './config/load-config.ts';
import { receiveFiles } from './files/receive-files.ts';
import type { HookManager } from './hooks/hook-manager.ts';
import { MarkdownConfigLoader } from './prompt/markdown-config-loader.ts';
import { SystemPromptAssembler } from './prompt/system-prompt-assembler.ts';
import type { EventResult, GatewayEvent } from './queue/gateway-event.ts';
import type { Turn } from './queue/message-queue.ts';
import { LiveReply } from './reply/live-reply.ts';
import type { ChatRequests } from './requests/chat-requests.ts';
import { MessageRuntime } from './runtime/message-runtime.ts';

const TITLE_LENGTH = 80;

type TurnRunnerOptions = {
  config: GatewayConfig;
  store: Store;
  agents: ChannelAgents;
  hooks: HookManager;
  requests: ChatRequests;
  log: WarningLog;
  adapterOf(channelId: string): ChannelAdapter;
  /** Aborts when no user is left in a channel who could answer, such as at the end of a terminal's input. */
  silenceOf(channelId: string): AbortSignal;
};

/** A message that runs. */
type ActiveTurn = {
  readonly turn: Turn;
  readonly startedAt: number;
  /** The agent has got the prompt, or is about to get it. */
  hasStarted: boolean;
  /** Set if the conversation was ended meanwhile: its session is not stored. */
  isForgotten: boolean;
};

/** A message with the files that the agent gets. */
type ReceivedMessage = Pick<Awaited<ReturnType<typeof receiveFiles>>, 'event' | 'images'>;

/** Runs messages with the agents of their channels, and shows their progress in the chat. */
export class TurnRunner {
  #options: TurnRunnerOptions;
  #messages: MessageRuntime;
  #active = new Map<string, ActiveTurn>();
  /** Drafts of turns that have a result, while they are still being sent. */
  #drafts = new WeakMap<Turn, Promise<void>>();
  /** Aborts when the gateway stops. */
  #closing = new AbortController();

  constructor(options: TurnRunnerOptions) {
    this.#options = options;
    const { config, store, hooks, log } = options;
    this.#messages = new MessageRuntime({
      ...{ config, hooks, log },
      sessions: store.gatewaySessions,
      loader: new MarkdownConfigLoader(config.configDir, config.workingDir, log),
      assembler: new SystemPromptAssembler(),
    });
  }

  /** Returns the running time of a channel's message; undefined if none runs. */
  runningMs(channelId: string): number | undefined {
    const active = this.#active.get(channelId);
    return active && this.#options.store.now() - active.startedAt;
  }

  /** Ends the conversation of a channel with its agent. */
  async forget(channelId: string): Promise<void> {
    const active = this.#active.get(channelId);
    if (active) active.isForgotten = true;
    const { backend } = await this.choiceOf(channelId);
    const { gatewayChannels, gatewaySessions } = this.#options.store;
    if (!(await gatewayChannels.workspaceOf(channelId))) {
      return this.#removeSession(channelId, backend);
    }
    // The conversations of all agents of the channel are about the files of its worktree.
    await gatewaySessions.removeAll(channelId);
    await gatewayChannels.setWorkspace(channelId, undefined);
  }

  /** Stops all messages; a daemon continues its own, and the next start joins them. */
  close(): void {
    this.#closing.abort();
  }

  /**
   * Returns the agent of a channel: the one that its users chose, if it is still available, or the gateway's default.
   */
  async choiceOf(channelId: string): Promise<AgentChoice> {
    const { config, store, agents } = this.#options;
    const chosen = await store.gatewayChannels.get(channelId);
    const isAvailable = chosen?.backend == null || agents.names.includes(chosen.backend);
    const backend = (isAvailable && chosen?.backend) || config.agentBackend;
    const model = isAvailable ? chosen?.model : undefined;
    const isOwn = backend === config.agentBackend;
    return { backend, model: model ?? (isOwn ? config.backendModel : undefined) };
  }

  /** Runs a message. Without a result it runs after the next start, or its daemon continues it. */
  async run(event: GatewayEvent, turn: Turn): Promise<EventResult | undefined> {
    const { agents, log, store, adapterOf } = this.#options;
    if (this.#closing.signal.aborted) return undefined;
    const { channelId } = event;
    const adapter = adapterOf(channelId);
    const active = { turn, startedAt: store.now(), hasStarted: false, isForgotten: false };
    this.#active.set(channelId, active);
    const live = new LiveReply({ adapter, event, turn, log });
    try {
      const isRemote = agents.place !== undefined;
      const message = await receiveFiles(adapter, event, { isRemote, log });
      const result = await this.#process(message, active, live).finally(message.remove);
      if (!this.#closing.signal.aborted || result?.error === undefined) return result;
      if (isRemote || !active.hasStarted) return undefined;
      const error = 'The gateway was stopped while the agent was working.';
      return { ...result, error, offerRetry: true };
    } finally {
      this.#active.delete(channelId);
      // Not awaited: the result is stored first, and a platform can make a draft wait.
      this.#drafts.set(turn, live.end());
    }
  }

  /** Resolves when the answer of a turn can be sent. */
  async draftEnded(turn: Turn): Promise<void> {
    await this.#drafts.get(turn);
  }

  async #process(
    { event, images }: ReceivedMessage,
    active: ActiveTurn,
    live: LiveReply,
  ): Promise<EventResult | undefined> {
    const { config, store, agents, requests, adapterOf, silenceOf } = this.#options;
    const { turn } = active;
    const { channelId, messageId, text } = event;
    const choice = await this.choiceOf(channelId);
    const adapter = adapterOf(channelId);
    const asking = requests.forTurn({
      ...{ adapter, channelId, messageId, turn, cwd: config.workingDir },
      silence: silenceOf(channelId),
    });
    const signal = this.#stopSignal(turn);
    const workspace = await this.#workspaceOf(channelId, choice.backend);
    let usage: Usage | undefined;
    let placing: Promise<void> = Promise.resolve();
    const context: MessageContext = {
      turnId: turn.id,
      conversationId: JSON.stringify([channelId, choice.backend, messageId]),
      title: `${adapter.platform}: ${shortened(text.replaceAll(/\s+/g, ' '), TITLE_LENGTH)}`,
      ...{ images, signal, workspace },
      onPlaced: ({ workspace_id: id, branch, cwd }) => {
        placing = placing.then(() =>
          store.gatewayChannels.placeWorkspace(channelId, { id, branch, cwd }),
        );
        placing.catch(() => {});
      },
      left: this.#closing.signal,
      ask: (pending, settled) => asking.ask(pending, settled),
      see: (seen) => {
        live.see(seen);
        asking.settled(seen);
        if (seen.type === 'run.completed') usage = addUsage(usage, seen.usage);
      },
    };
    const agent = {
      sessionName: agents.sessionName(choice.backend),
      run: (prompt: Prompt) => agents.run(choice, prompt, context),
    };
    const result = await this.#messages.process(event, agent, {
      signal,
      agentStarts: () => {
        active.hasStarted = true;
        return turn.agentStarts();
      },
      onRetry: () => live.restart(),
    });
    await placing;
    if (!result) return undefined;
    if (active.isForgotten) await this.#removeSession(channelId, choice.backend);
    const isFailed = result.error !== undefined;
    // People look at the end of the chat, and must not lose what they have read.
    const isBelow = asking.hasShown || live.hasMore || isFailed;
    const draftText = isBelow && turn.sent.length > 0 ? live.summary(isFailed) : undefined;
    return { ...result, ...(usage && { usage }), ...(draftText && { draftText }) };
  }

  /**
   * Returns the worktree of a channel. It is chosen with the first message of a conversation, before it is made, so that
   * a restart does not make another one; a conversation that began in the folder stays there.
   */
  async #workspaceOf(channelId: string, backend: string): Promise<WorkspaceRequest | undefined> {
    const { config, store, agents } = this.#options;
    const known = await store.gatewayChannels.workspaceOf(channelId);
    if (known) return { kind: 'worktree', workspace_id: known.id };
    const isWanted = config.worktrees.includes('*') || config.worktrees.includes(channelId);
    if (!isWanted) return undefined;
    if (await store.gatewaySessions.get(channelId, agents.sessionName(backend))) return undefined;
    const id = `ws_${randomBytes(8).toString('hex')}`;
    await store.gatewayChannels.setWorkspace(channelId, { id });
    return { kind: 'worktree', workspace_id: id };
  }

  /** Users stop a message; the gateway stops it with itself, unless a daemon runs it. */
  #stopSignal({ signal }: Turn): AbortSignal {
    if (this.#options.agents.place !== undefined) return signal;
    return AbortSignal.any([signal, this.#closing.signal]);
  }

  async #removeSession(channelId: string, backend: string): Promise<void> {
    const { store, agents } = this.#options;
    await store.gatewaySessions.remove(channelId, agents.sessionName(backend));
  }
}
