/** Requests and responses of the daemon's API, one file per service. */

export {
  type AgentMcpFile,
  type AgentMcpServer,
  agentMcpServersWire,
  type NewAgentMcpServer,
} from './agent-mcp-servers.ts';
export { type ApiKeyRecord, apiKeysWire, type NewApiKey } from './api-keys.ts';
export { type AttachmentRecord, attachmentsWire, type NewAttachment } from './attachments.ts';
export { authenticationWire, type Credentials, type Login } from './authentication.ts';
export { type BackendRecord, backendsWire } from './backends.ts';
export {
  type ChainAnswer,
  type ChainRunRecord,
  chainRunsWire,
  type NewChainRun,
} from './chain-runs.ts';
export { type ChainRecord, type ChainsFileRecord, chainsWire } from './chains.ts';
export {
  type ChangeOrigin,
  type ChangeQuery,
  type ChangeReport,
  changesWire,
  checkpointsWire,
  MAX_REPORTED_PATCH_BYTES,
  type Overlap,
  type TrueChange,
  type TrueChanges,
  type UndoRequest,
} from './changes.ts';
export { type DaemonRecord, daemonsWire } from './daemons.ts';
export { eventsWire } from './events.ts';
export {
  EXECUTOR_PROTOCOL,
  type ExecutorFacts,
  type ExecutorRecord,
  type ExecutorStart,
  executorsWire,
} from './executors.ts';
export { type FileQuery, type FoundFiles, filesWire } from './files.ts';
export { finishWire } from './finish.ts';
export { type FolderRecord, foldersWire } from './folders.ts';
export { type FoundId, idsWire } from './ids.ts';
export { type ImportReceipt, importsWire } from './imports.ts';
export {
  type McpServerPatch,
  type McpServerRecord,
  mcpServersWire,
  type NewMcpServer,
} from './mcp-servers.ts';
export { type MessageBlock, type MessagePatch, messagesWire, type NewMessage } from './messages.ts';
export { type News, newsWire } from './news.ts';
export type { Page, PageQuery } from './page.ts';
export { type NewAnswer, type PendingRecord, permissionsWire } from './permissions.ts';
export { type ReviewSend, reviewCommentsWire } from './review-comments.ts';
export { type NewRule, type RuleQuery, type RuleRecord, rulesWire } from './rules.ts';
export type { MethodWire, ServiceWire } from './service.ts';
export {
  type ClearedQueue,
  MAX_PROMPT,
  type NewSession,
  type NewSteer,
  type NewTask,
  type SessionFork,
  type SessionPatch,
  type SessionQuery,
  type StartFiles,
  type StopReceipt,
  sessionsWire,
  type TaskRetry,
  type TaskStop,
  type TaskWidening,
} from './sessions.ts';
export { type SettingRecord, settingsWire } from './settings.ts';
export { type DaemonStatus, statusWire } from './status.ts';
export { type RawOutput, type TaskPatch, type TaskQuery, tasksWire } from './tasks.ts';
export { type NewToken, type TokenRecord, tokensWire } from './tokens.ts';
export {
  type ChangedFileRecord,
  type FileChangeRecord,
  type SessionFileChanges,
  type TranscriptPage,
  transcriptWire,
} from './transcript.ts';
export { type FolderDecision, trustedFoldersWire } from './trusted-folders.ts';
export {
  USAGE_GROUPS,
  type UsageGroup,
  type UsageQuery,
  type UsageRecord,
  usageWire,
} from './usage.ts';
export {
  type LinkSecret,
  type NewUser,
  ROLES,
  type Role,
  type UserPatch,
  type UserRecord,
  userRecordSchema,
  usersWire,
} from './users.ts';
export {
  type DataOf,
  type MethodName,
  type QueryOf,
  type ResultOf,
  type ServiceName,
  WIRE,
  type Wire,
} from './wire.ts';
export {
  type ListedWorkspace,
  type ScriptRun,
  WORKSPACE_SCRIPTS,
  type WorkspaceFolder,
  type WorkspaceScriptName,
  type WorkspaceScripts,
  type WorkspaceStatus,
  workspacesWire,
} from './workspaces.ts';
