export {
  type ReplayList,
  type SignatureProblem,
  type SignedRequest,
  signatureProblem,
  signWebhook,
  TOLERANCE_MS,
  verifyWebhook,
} from './adapters/webhook/signature.ts';
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
export { type AccessRules, isAllowed, type Sender } from './config/access.ts';
export {
  type ConfigPlace,
  type GatewayConfig,
  HOOK_NAMES,
  type HookName,
  type LoadedConfig,
  loadConfig,
} from './config/load-config.ts';
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
export { EventQueue, type EventQueueOptions } from './queue/event-queue.ts';
export type { EventResult, GatewayEvent, ReceivedFile } from './queue/gateway-event.ts';
export {
  AgentRuntime,
  type AgentRuntimeOptions,
  type RunObserver,
  type SessionManager,
  toEventResult,
} from './runtime/agent-runtime.ts';
export { MENTIONS, type MentionRules, neutralizeMentions } from './text/mentions.ts';
export { splitMessage } from './text/split-message.ts';
