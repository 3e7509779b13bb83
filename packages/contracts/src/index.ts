export {
  type CommandRunResult,
  type ConversationPatch,
  ConversationView,
  foldConversation,
  type NormalizedConversation,
  type NormalizedEntry,
  type PatchOperation,
  type ToolAction,
  type ToolResult,
  type ToolStatus,
  type ToolUseEntry,
} from '@baton/protocol/values';
export {
  type AgentRuntime,
  type AgentRuntimeOptions,
  agentRuntime,
  type StreamingCallbacks,
  spawnAgentAndWait,
} from './agent-runtime.ts';
export {
  BACKEND_NAMES,
  type BackendAdapter,
  type BackendAdapterConfig,
  type BackendName,
  ClaudeCodeBackend,
  CodexBackend,
  createBackend,
  type ExecuteControls,
  GeminiBackend,
  gatewayReport,
  ignoredOption,
  OpenCodeBackend,
  resolveBackendName,
  type StreamCallback,
  type WarningLog,
} from './backend-adapter.ts';
export type { BackendFailure } from './backend-failure.ts';
export { claudeForRunner, gatewayBackend } from './contract-backends.ts';
export { type BackendEventResult, eventResult } from './event-result.ts';
export { type ExecuteOptions, executeTask, executionBackends } from './execution-backends.ts';
export type { GatewayReport } from './gateway-report.ts';
export { COMPLETION_MARKER, MarkerDetector } from './marker.ts';
export { openClawTask } from './openclaw-task.ts';
export { type Registered, type RegisterOptions, registerBackends } from './register-backends.ts';
export {
  normalizeExecutionBackend,
  parseClaudeCliOutput,
  type RunnerExecutionBackend,
  type RunnerExecutionRequest,
  type RunnerExecutionResult,
  type RunnerViewOptions,
  runnerBackend,
  withExecutionDefaults,
} from './runner-backend.ts';
export {
  handledBy,
  type RunnerFacts,
  registeredBackends,
  selectBackend,
  unsupportedBackendMessage,
} from './runner-selection.ts';
export { supportedOptions } from './supported-options.ts';
