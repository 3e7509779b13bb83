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
  type SessionPatch,
  type StopReceipt,
  type UserFacts,
} from './baton-client.ts';
export { Connection, type ConnectionOptions } from './connection.ts';
export { type FollowOptions, follow } from './follow.ts';
