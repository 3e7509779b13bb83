export {
  type AgentRuntime,
  type AgentRuntimeOptions,
  agentRuntime,
  type StreamingCallbacks,
  spawnAgentAndWait,
} from './agent-runtime.ts';
export {
  type BackendAdapter,
  type BackendAdapterConfig,
  type BackendEventResult,
  type BackendName,
  ClaudeCodeBackend,
  CodexBackend,
  createBackend,
  resolveBackendName,
  type StreamCallback,
  type WarningLog,
} from './backend-adapter.ts';
export { claudeForRunner } from './contract-backends.ts';
export { COMPLETION_MARKER, MarkerDetector } from './marker.ts';
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
