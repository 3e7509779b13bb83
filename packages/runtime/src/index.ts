import type {
  AmpOptions,
  ClaudeOptions,
  CodexOptions,
  CursorOptions,
  DemoOptions,
  DroidOptions,
  PiOptions,
} from './options/backend-options.ts';

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
export type {
  AgentRun,
  Backend,
  BackendSettings,
  Conversation,
  OpenOptions,
  PendingRequest,
  PromptOptions,
  RunInput,
} from './definition/backend.ts';
export type { BackendEntry } from './definition/backend-entry.ts';
export type {
  AmpOptions,
  ClaudeOptions,
  CodexOptions,
  CursorOptions,
  DemoOptions,
  DroidOptions,
  PiOptions,
  PriceOptions,
} from './options/backend-options.ts';
export type { Prices } from './prices/estimate-cost.ts';
export type { Baton } from './registry/baton.ts';
export { type BatonOptions, type BatonSettings, createBaton } from './registry/create-baton.ts';
export { launch, loadBackend, registerBackend } from './registry/default-baton.ts';

/**
 * The provider options of each backend, by its name. The package of another backend adds its own:
 * `declare module '@baton/runtime' { interface BackendOptions { mine: MyOptions } }`. It is declared here because an
 * interface can be extended only where it is declared.
 */
export interface BackendOptions {
  'claude-cli': ClaudeOptions;
  claude: ClaudeOptions;
  'claude-code': ClaudeOptions;
  'codex-cli': CodexOptions;
  codex: CodexOptions;
  droid: DroidOptions;
  amp: AmpOptions;
  'cursor-cli': CursorOptions;
  cursor: CursorOptions;
  pi: PiOptions;
  demo: DemoOptions;
}
