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
export { BatonClient } from './baton-client.ts';
export { Connection, type ConnectionOptions } from './connection.ts';
export { type FollowOptions, follow } from './follow.ts';
export type { RemoteRequest } from './launch.ts';
export type {
  DaemonStatus,
  ExecutorFacts,
  ExecutorStart,
  FoundId,
  ImportReceipt,
  Login,
  NewSession,
  NewTask,
  Page,
  PendingRecord,
  RawOutput,
  SessionPatch,
  StopReceipt,
  UserFacts,
} from './records.ts';
export type { RemoteRun } from './remote-run.ts';
