export { type ChainOwner, ChainRuns, type NewChainRun } from './chains/chain-runs.ts';
export { type BackupReport, backupSqlite } from './engine/backup-sqlite.ts';
export { databaseKind } from './engine/open-failure.ts';
export { outageOf } from './engine/outage.ts';
export type { Draft, SessionDraft, TaskDraft } from './events/draft.ts';
export type { LogPage } from './events/log-row.ts';
export { type ChannelChoice, GatewayChannels } from './gateway/gateway-channels.ts';
export {
  GatewayEvents,
  type GatewayLimits,
  type NewGatewayEvent,
  type StoredMessage,
} from './gateway/gateway-events.ts';
export { GatewaySessions } from './gateway/gateway-sessions.ts';
export { GatewaySignatures } from './gateway/gateway-signatures.ts';
export { lockFolder } from './lock-folder.ts';
export { type Ending, endingOf } from './log/end-task.ts';
export { type ImportOptions, SessionImport } from './log/import-session.ts';
export type { RebuildProgress } from './log/rebuild.ts';
export { appendRun, appendSaid, type RunReport, type Said } from './log/run-events.ts';
export { type Decide, type Decision, noSession, SessionLog } from './log/session-log.ts';
export { wasNarrowed } from './log/was-narrowed.ts';
export { type GivenSteer, wasSteered } from './log/was-steered.ts';
export { openStore, type Store, type StoreOptions } from './open-store.ts';
export type { EntryQuery } from './projection/read-entries.ts';
export { requestKey, type SessionState } from './projection/session-state.ts';
export { titleOf } from './projection/words-of-prompt.ts';
export { type Claim, type Claimant, TaskQueue } from './queue/claim.ts';
export { Leases } from './queue/leases.ts';
export { pauseTask, resumingBy } from './queue/pause.ts';
export { MAX_FAILED_STARTS, type Requeueing, requeueTask } from './queue/requeue.ts';
export type { AttachmentInfo } from './records/attachments.ts';
export type { FoundId } from './records/find-ids.ts';
export type { ListedSession, SessionListQuery } from './records/list-sessions.ts';
export type { ListedTask, TaskListQuery } from './records/list-tasks.ts';
export { RawOutput, type RawPart, type RawPiece } from './records/raw-output.ts';
export { type Records, recordsOf } from './records/records.ts';
export { Removal } from './records/removal.ts';
export { type Match, type RecordName, type RowQuery, RowTable } from './records/row-table.ts';
export type { UsageQuery, UsageSum } from './records/usage.ts';
export type {
  ApiKeyRow,
  AttachmentRow,
  ChainRunRow,
  DaemonRow,
  EntryRow,
  ExecutorRow,
  GatewayEventRow,
  GatewayEventState,
  LeaseRow,
  McpServerRow,
  RequestRow,
  ReviewCommentRow,
  RuleRow,
  SessionRow,
  SettingRow,
  TaskRow,
  TokenRow,
  TrustedChainRow,
  UserRow,
} from './schema/tables.ts';
export { type ChainMoved, mayStartTask, type SessionMoved, WakeUps } from './wake-ups.ts';
