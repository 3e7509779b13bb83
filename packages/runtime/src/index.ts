// All of it, because only an interface that is exported this way can be extended from another package.
export type * from '@baton/agents/options/backend-options';
export type { Baton } from '@baton/agents/registry/baton';
export {
  type BatonOptions,
  type BatonSettings,
  createBaton,
} from '@baton/agents/registry/create-baton';
export { launch, loadBackend, registerBackend } from '@baton/agents/registry/default-baton';
export type {
  AgentRun,
  Backend,
  BackendSettings,
  Conversation,
  OpenOptions,
  PendingRequest,
  PromptOptions,
  RunInput,
} from '@baton/engine/definition/backend';
export type { BackendEntry } from '@baton/engine/definition/backend-entry';
export type { Prices } from '@baton/engine/prices/estimate-cost';
export {
  type Action,
  type AgentCatalog,
  type AgentEvent,
  type AnswerReceipt,
  BatonError,
  type Capabilities,
  ERROR_CODES,
  type ErrorCode,
  type ErrorInfo,
  type EventOf,
  type EventType,
  type Feature,
  type FileChange,
  type ImageInput,
  type JsonSchema,
  type McpConfig,
  type McpServer,
  type OptionName,
  type Outcome,
  type OutputSchema,
  PERMISSION_MODES,
  type PermissionAnswer,
  type PermissionMode,
  type PermissionRequest,
  type PlanEntry,
  type Probe,
  type Question,
  type QuestionAnswer,
  type QuestionRequest,
  type RequestAnswer,
  type RequestHandler,
  type RetryOptions,
  type RunOptions,
  type RunResult,
  type StandardSchema,
  type StopReport,
  type StructuredOf,
  type Timeouts,
  type ToolOutcome,
  type UnansweredRequests,
  type Usage,
} from '@baton/protocol/values';
