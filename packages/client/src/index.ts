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
  ExecutorRecord,
  ExecutorStart,
  FoundId,
  ImportReceipt,
  MessagePatch,
  NewSession,
  NewTask,
  Page,
  PageQuery,
  PendingRecord,
  RawOutput,
  SessionPatch,
  StopReceipt,
} from './records.ts';
export type { RemoteRun, StopOrder } from './remote-run.ts';
