export type {
  LinkSecret,
  Login,
  NewRule,
  NewToken,
  NewUser,
  Role,
  RuleQuery,
  RuleRecord,
  TokenRecord,
  UserPatch,
  UserRecord,
} from './access-records.ts';
export type {
  ApiKeyRecord,
  AttachmentRecord,
  BackendRecord,
  DaemonRecord,
  FileQuery,
  FolderDecision,
  FolderRecord,
  FoundFiles,
  McpServerPatch,
  McpServerRecord,
  NewApiKey,
  NewAttachment,
  NewMcpServer,
  SettingRecord,
  UsageGroup,
  UsageQuery,
  UsageRecord,
} from './administration-records.ts';
export { BatonClient } from './baton-client.ts';
export { Connection, type ConnectionOptions } from './connection.ts';
export { type FollowOptions, follow } from './follow.ts';
export type { RemoteRequest } from './launch.ts';
export { patiently } from './patiently.ts';
export { Pauses } from './pauses.ts';
export type {
  ChangedFileRecord,
  ClearedQueue,
  DaemonStatus,
  ExecutorFacts,
  ExecutorRecord,
  ExecutorStart,
  FileChangeRecord,
  FoundId,
  ImportReceipt,
  MessagePatch,
  NewSession,
  News,
  NewTask,
  Page,
  PageQuery,
  PendingRecord,
  RawOutput,
  SessionFileChanges,
  SessionPatch,
  SessionQuery,
  StopReceipt,
  TaskQuery,
  TranscriptPage,
} from './records.ts';
export type { RemoteRun, StopOrder } from './remote-run.ts';
