export type {
  ApiKeyRecord,
  AttachmentRecord,
  BackendRecord,
  DaemonRecord,
  McpServerPatch,
  McpServerRecord,
  NewApiKey,
  NewAttachment,
  NewMcpServer,
  SettingRecord,
  UsageQuery,
  UsageRecord,
} from './administration-records.ts';
export {
  BatonClient,
  type DaemonStatus,
  type ExecutorFacts,
  type ExecutorStart,
  type FoundId,
  type ImportReceipt,
  type Login,
  type NewSession,
  type NewTask,
  type Page,
  type PendingRecord,
  type RawOutput,
  type SessionPatch,
  type StopReceipt,
  type UserFacts,
} from './baton-client.ts';
export { Connection, type ConnectionOptions } from './connection.ts';
export { type FollowOptions, follow } from './follow.ts';
export type { RemoteRequest } from './launch.ts';
