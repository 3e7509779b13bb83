import type { ImageInput } from '@baton/protocol';
import type { BackendAdapter } from '@baton/runtime/contracts';
import type { AskInChat } from './launch-adapter.ts';

/** The agent of a channel, and its model; the agent's default model if omitted. */
export type AgentChoice = { readonly backend: string; readonly model?: string | undefined };

/** Context of a message for the adapter that runs it. */
export type MessageContext = {
  /** The same after a restart, so that a daemon runs a message once. */
  readonly turnId: string;
  /** Identifies the conversation that the message begins, if the channel has none. */
  readonly conversationId: string;
  readonly title: string;
  readonly images: readonly ImageInput[];
  readonly ask: AskInChat;
  /** Aborts when the gateway stops and leaves the run to its daemon. */
  readonly left: AbortSignal;
};

/** The agents that the gateway can run, and where. */
export interface ChannelAgents {
  /** The URL of the daemon that runs them; undefined in this process. */
  readonly place?: string | undefined;
  /** The names that users can choose. */
  readonly names: readonly string[];
  /** Returns the name of the agent that a user has typed; throws `backend_unknown`. */
  nameOf(text: string): string;
  /** The name under which the sessions of an agent are kept: that of its adapter. */
  sessionName(backend: string): string;
  /** The adapter for one message. */
  adapter(choice: AgentChoice, context: MessageContext): Promise<BackendAdapter>;
  /** Returns whether the program of an agent can be started, and its path or name. */
  validate(backend: string): Promise<{ isInstalled: boolean; path: string }>;
}
