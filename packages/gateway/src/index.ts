export { checkDiscord, type DiscordCheckOptions } from './adapters/discord/check-discord.ts';
export { DiscordAdapter, type DiscordAdapterOptions } from './adapters/discord/discord-adapter.ts';
export {
  TerminalAdapter,
  type TerminalAdapterOptions,
} from './adapters/terminal/terminal-adapter.ts';
export {
  type ReplayList,
  type SignatureProblem,
  type SignedRequest,
  signatureProblem,
  signWebhook,
  TOLERANCE_MS,
  verifyWebhook,
} from './adapters/webhook/signature.ts';
export { WebhookAdapter, type WebhookAdapterOptions } from './adapters/webhook/webhook-adapter.ts';
export { ChannelAgents, type ChannelAgentsOptions } from './agents/channel-agents.ts';
export { localAgents } from './agents/local-agents.ts';
export type {
  Button,
  ButtonPress,
  ButtonStyle,
  ChannelAdapter,
  ChannelLimits,
  ChannelReceiver,
  CommandDescription,
  IncomingCommand,
  IncomingMessage,
  OutgoingMessage,
  SentFile,
} from './channel-adapter.ts';
export type { CheckResult } from './checks/check-result.ts';
export { type AccessRules, isAllowed, type Sender } from './config/access.ts';
export { allAgents } from './config/agent-list.ts';
export {
  type ConfigOptions,
  type ConfigPlace,
  type GatewayConfig,
  HOOK_NAMES,
  type HookName,
  type LoadedConfig,
  loadConfig,
  TERMINAL_CHANNEL,
  TERMINAL_USER,
} from './config/load-config.ts';
export { Gateway, type GatewayOptions } from './gateway.ts';
export type { GatewayLog } from './gateway-log.ts';
export {
  type HookFacts,
  HookManager,
  type HookManagerOptions,
  type HookProcess,
  type StartHook,
} from './hooks/hook-manager.ts';
export { startHook } from './hooks/start-hook.ts';
export { MarkdownConfigLoader, type MarkdownFile } from './prompt/markdown-config-loader.ts';
export { SystemPromptAssembler } from './prompt/system-prompt-assembler.ts';
export type { EventResult, GatewayEvent, ReceivedFile } from './queue/gateway-event.ts';
export { MessageQueue, type MessageQueueOptions } from './queue/message-queue.ts';
export { type StoredResult, storedResult } from './queue/stored-result.ts';
export {
  AdapterRuntime,
  type AdapterRuntimeOptions,
  type RunObserver,
} from './runtime/adapter-runtime.ts';
export { type SessionManager, toEventResult } from './runtime/message-runtime.ts';
export { MENTIONS, type MentionRules, neutralizeMentions } from './text/mentions.ts';
export { splitMessage } from './text/split-message.ts';
