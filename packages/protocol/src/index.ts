import './check-node.ts';

export {
  type Action,
  type ActionType,
  actionSchema,
  type FileChange,
  fileChangeSchema,
  type PlanEntry,
  planEntrySchema,
} from './action.ts';
export {
  type AgentCatalog,
  type CommandInfo,
  commandInfoSchema,
  type ModelInfo,
  modelInfoSchema,
} from './agent-catalog.ts';
export {
  type AgentRun,
  type AnswerReceipt,
  checkRequests,
  ignorable,
  type Launch,
  type LaunchRequest,
  type PendingRequest,
  pendingIn,
  type RequestHandler,
  type RunControls,
  timeoutAnswer,
  type UnansweredRequests,
} from './agent-run.ts';
export {
  type Capabilities,
  capabilitiesSchema,
  type OptionSupport,
  optionSupportSchema,
} from './capabilities.ts';
export {
  type ChainDraft,
  type ChainEvent,
  type ChainEventOf,
  type ChainEventType,
  chainEventSchema,
  STEP_OUTCOMES,
  type StepOutcome,
  type StepWorkspace,
  stepOutcomeSchema,
} from './chain/chain-event.ts';
export {
  type OutlineStep,
  outlineStepSchema,
  STEP_KINDS,
  type StepKind,
} from './chain/chain-outline.ts';
export {
  applyChainEvent,
  CHAIN_STATUSES,
  type ChainState,
  type ChainStatus,
  emptyChainState,
  foldChain,
  isAwaitingApproval,
  type StepState,
  type StepStatus,
} from './chain/chain-state.ts';
export { ConversationView, foldConversation } from './conversation/conversation-view.ts';
export type {
  CommandRunResult,
  ConversationPatch,
  NormalizedConversation,
  NormalizedEntry,
  PatchOperation,
  ToolAction,
  ToolResult,
  ToolStatus,
  ToolUseEntry,
} from './conversation/normalized-entry.ts';
export {
  BatonError,
  type BatonErrorOptions,
  ERROR_CODES,
  type ErrorCode,
  type ErrorInfo,
  errorInfo,
} from './error.ts';
export { errorInfoSchema } from './error-info.ts';
export {
  type AgentEvent,
  EVENT_TYPES,
  type EventOf,
  type EventType,
  eventSchema,
  knownEventSchema,
  NOTICE_CODES,
  type ToolOutcome,
} from './event.ts';
export { FEATURES, type Feature } from './features.ts';
export { type FolderTrust, folderTrustSchema } from './folder-trust.ts';
export type {
  BackendFacts,
  FoundRun,
  Host,
  HostedRun,
  HostRequest,
  JoinHooks,
  LaunchedCommand,
  RunIds,
  WorkspaceEvent,
} from './host/host.ts';
export {
  type ConnectionListener,
  type RunLog,
  type StopOrder,
  type TaskPlace,
  TaskRun,
  type TaskRunHooks,
} from './host/task-run.ts';
export { isWorkspaceEvent, SCRIPT_CALL } from './is-workspace-event.ts';
export { JSON_SCHEMA_NAMES, type JsonSchemaName, jsonSchemaOf } from './json-schema.ts';
export { longTimer } from './long-timer.ts';
export { type McpConfig, type McpServer, mcpConfigSchema, mcpServerSchema } from './mcp.ts';
export { inOneLine, withoutLastBreaks } from './one-line.ts';
export { OPTION_NAMES, type OptionName, RUN_OPTION_KEYS } from './option-names.ts';
export { OUTCOME_TABLE, OUTCOMES, type Outcome } from './outcome.ts';
export {
  type FromJsonSchema,
  type JsonSchema,
  type OutputSchema,
  type ParseOutput,
  readOutputSchema,
  type StandardSchema,
  type StructuredOf,
} from './output-schema.ts';
export {
  type AnsweredBy,
  type PermissionAnswer,
  type PermissionRequest,
  type PermissionScope,
  permissionAnswerSchema,
  permissionModeSchema,
  permissionRequestSchema,
  type Question,
  type QuestionAnswer,
  type QuestionRequest,
  questionAnswerSchema,
  questionRequestSchema,
  type RequestAnswer,
} from './permission.ts';
export { isWider, PERMISSION_MODES, type PermissionMode } from './permission-mode.ts';
export { type Probe, probeSchema } from './probe.ts';
export { answerFromText, takesOwnWords } from './question-text.ts';
export {
  type MessageRecord,
  messageOf,
  messageRecordSchema,
  type PermissionContent,
  permissionContentSchema,
} from './records/message-record.ts';
export {
  type ListedSession,
  listedSessionSchema,
  type RequestPolicyRecord,
  requestPolicyRecordSchema,
  type SessionRecord,
  sessionRecordSchema,
} from './records/session-record.ts';
export {
  type ListedTask,
  listedTaskSchema,
  type TaskRecord,
  taskRecordSchema,
} from './records/task-record.ts';
export {
  Backoff,
  type BackoffOptions,
  DEFAULT_RETRY,
  delay,
  type RetryLimits,
  type RetryPolicy,
  retryErrors,
  withRetry,
} from './retry.ts';
export { type LineRange, movedLines } from './review/moved-lines.ts';
export { resolvePrompt } from './review/resolve-prompt.ts';
export {
  type NewReviewComment,
  newReviewCommentSchema,
  type ReviewComment,
  type ReviewCommentPatch,
  reviewCommentPatchSchema,
  reviewCommentSchema,
} from './review/review-comment.ts';
export { placeWords, reviewPrompt } from './review/review-prompt.ts';
export {
  type ImageInput,
  type RetryOptions,
  type RunOptions,
  type RunRequest,
  runOptionsSchema,
  runRequestSchema,
  type Timeouts,
} from './run-request.ts';
export { outcomeSchema, type RunResult, runResultSchema } from './run-result.ts';
export { serverSentEvents, textOf } from './run-streams.ts';
export { isTaskEvent } from './session/is-task-event.ts';
export { EVENT_SOURCES, type EventSource, reportedEvent } from './session/reported-event.ts';
export {
  type LogEvent,
  logEventSchema,
  type RequestPolicy,
  requestPolicySchema,
  SESSION_EVENT_TYPES,
  type SessionChanges,
  type SessionEvent,
  type SessionEventOf,
  type SessionEventType,
  type TaskEvent,
} from './session/session-event.ts';
export {
  isFinal,
  isPaused,
  statusOfOutcome,
  TASK_STATUSES,
  type TaskState,
  type TaskStatus,
  taskState,
} from './session/task-status.ts';
export { beginningOf, shortened } from './shortened.ts';
export {
  attachmentsName,
  nextSpoolName,
  rawLine,
  rawName,
  spoolEvents,
  spoolLine,
  spoolName,
} from './spool.ts';
export { type StopReport, stopReportSchema } from './stop.ts';
export { type McpTaskPacket, mcpTaskPacketSchema } from './task-packet.ts';
export { actionLine } from './transcript/action-line.ts';
export { actionWords } from './transcript/action-words.ts';
export {
  type ChangedFile,
  ChangedFiles,
  type ChangeLimits,
  type ChangePiece,
} from './transcript/changed-files.ts';
export type { Entry, EntryKind } from './transcript/entry.ts';
export { entryKeyOf, isBeginning, promptEntryKey, toolEntryKey } from './transcript/entry-key.ts';
export { finishedWords } from './transcript/finished-words.ts';
export { markdownOf } from './transcript/markdown-of.ts';
export { foldTranscript, nextEntry } from './transcript/next-entry.ts';
export { plainOutput } from './transcript/plain-output.ts';
export {
  givenAnswers,
  permissionOutcome,
  settledAction,
  settledBy,
  settledWhy,
} from './transcript/settlement.ts';
export { TurnOrder } from './transcript/turn-order.ts';
export { usageWords } from './transcript/usage-words.ts';
export { wholeOutputWords } from './transcript/whole-output-words.ts';
export { escapedJson, showUnseen, showUnseenInLine, showUnseenInText } from './unseen.ts';
export { type Usage, usageSchema } from './usage.ts';
export { addUsage } from './usage-sum.ts';
export { VERSION } from './version.ts';
export {
  type ChangeSummary,
  changeSummarySchema,
  MAX_SUMMARY_PATHS,
} from './workspace/change-summary.ts';
export {
  type CheckpointGap,
  type CheckpointKind,
  type CheckpointRecord,
  checkpointGapSchema,
  checkpointKindSchema,
  checkpointRecordSchema,
} from './workspace/checkpoint-record.ts';
export { type FileDifference, fileDifferenceSchema } from './workspace/file-difference.ts';
export {
  type CommitPlan,
  type FinishAction,
  type Finished,
  type FinishPlan,
  type FinishRequest,
  finishedSchema,
  finishPlanSchema,
  finishSchema,
  type MergePlan,
  type PullRequestPlan,
  type PushPlan,
} from './workspace/finish.ts';
export { MERGE_METHODS, type MergeMethod } from './workspace/merge-methods.ts';
export { type PullRequestRef, pullRequestRefSchema } from './workspace/pull-request.ts';
export {
  type WorkspaceKind,
  type WorkspaceRecord,
  type WorkspaceRequest,
  type WorkspaceState,
  workspaceKindSchema,
  workspaceRecordSchema,
  workspaceRequestSchema,
  workspaceStateSchema,
} from './workspace/workspace-record.ts';
