export { confinedOperations } from './confined/confined-operations.ts';
export {
  confinedPlace,
  type FoundPlace,
  operationsFor,
  type PlaceOptions,
  type PlaceRequest,
} from './confined/confined-place.ts';
export { type AnyTurn, beginConfinedTurn } from './confined/confined-turn.ts';
export { runHelper } from './confined/helper.ts';
export type { ConfinedPlace, HelperCommand } from './confined/helper-process.ts';
export { type FinishOptions, finish, planFinish } from './finish/finish.ts';
export { finishPlace } from './finish/finish-place.ts';
export { runTrain, type TrainEntry } from './finish/train.ts';
export { Git, type GitAnswer, type GitCall, type GitOptions } from './git/git.ts';
export { MachineSlots } from './git/machine-slots.ts';
export {
  findRepository,
  isRepository,
  type RepositoryFacts,
  type RepositoryPlace,
  readFacts,
  readHead,
} from './git/repository.ts';
export {
  type DevServerClaim,
  runningDevServer,
  stopDevServer,
} from './lifecycle/dev-server-claim.ts';
export {
  type Cleaned,
  type CleanupResult,
  clean,
  type RemoveWorkspaceOptions,
  removeWorkspace,
} from './lifecycle/remove-workspace.ts';
export { type DevServerOptions, runDevServer } from './lifecycle/run-dev-server.ts';
export { type SetUpAgainOptions, setUpAgain } from './lifecycle/set-up-again.ts';
export { type ScriptSettings, scriptSettings } from './lifecycle/workspace-scripts.ts';
export {
  type FoundChanges,
  type FoundPatch,
  localOperations,
  type SetUpCalls,
  type WorkspaceOperations,
} from './operations/operations.ts';
export { defaultKind } from './project/default-kind.ts';
export type { WorkspaceSettings } from './project/settings-schema.ts';
export {
  type LoadedWorkspaceSettings,
  loadWorkspaceSettings,
  userWorkspaceSettings,
  type WorkspaceSettingsInput,
} from './project/workspace-settings.ts';
export { type CopiedFiles, copyFiles } from './scripts/copy-files.ts';
export { LastLines } from './scripts/last-lines.ts';
export { assignPorts } from './scripts/ports.ts';
export {
  type RunScriptOptions,
  runScript,
  type Script,
  type ScriptResult,
} from './scripts/run-script.ts';
export { SetupCache, type SetupCacheOptions } from './scripts/setup-cache.ts';
export { workspaceVariables } from './scripts/workspace-variables.ts';
export {
  type Checkpoint,
  type CheckpointNote,
  checkpointRecord,
  createCheckpoint,
  deleteCheckpoints,
  findCheckpoint,
  listCheckpoints,
} from './snapshot/checkpoints.ts';
export { type Differences, differences, fileIn, patchOf } from './snapshot/differences.ts';
export { expireCheckpoints } from './snapshot/expire-checkpoints.ts';
export { PrivateRepository } from './snapshot/private-repository.ts';
export { previewRestore, type Restored, restore } from './snapshot/restore.ts';
export { type Snapshot, type SnapshotGap, takeSnapshot } from './snapshot/snapshot.ts';
export {
  beginningOf,
  checkpointsOf,
  lastSessionIn,
  type SessionChanges,
  sessionChanges,
  turnsByPath,
} from './turn/session-changes.ts';
export { Turn } from './turn/turn.ts';
export type { TurnOptions } from './turn/turn-options.ts';
export { previewUndo, type UndoOptions, undoTurn } from './turn/undo-turn.ts';
export { decideTrust, trustLike, trustOfTurn } from './turn/worktree-trust.ts';
export { WorkspaceHome } from './workspace-home.ts';
export { type AdoptOptions, adoptWorktree } from './worktree/adopt-worktree.ts';
export { DEFAULT_BRANCH_TEMPLATE, slugOf } from './worktree/branch-name.ts';
export {
  type CreatedWorktree,
  type CreatedWorktrees,
  type CreateStep,
  type CreateWorktreeOptions,
  createWorktree,
  createWorktrees,
  repositoriesIn,
  type WorkspaceNotice,
  type WorktreeOrigin,
} from './worktree/create-worktree.ts';
export { diskUse } from './worktree/disk-use.ts';
export { type FolderSession, FolderSessions } from './worktree/folder-sessions.ts';
export type { Loss } from './worktree/inspect-worktree.ts';
export { type Reconciled, reconcile } from './worktree/reconcile.ts';
export {
  expireRemoved,
  RESTORE_MS,
  type RemovalCheck,
  type RemoveStep,
  type RemoveWorktreeOptions,
  type RestoreStep,
  type RestoreWorktreeOptions,
  removalCheck,
  removeWorktree,
  restoreWorktree,
} from './worktree/remove-worktree.ts';
export { UserRepository } from './worktree/user-repository.ts';
export {
  type DamagedRecord,
  publicRecord,
  type RemovedWorkspace,
  type StoredWorkspace,
  WorkspaceFiles,
  type WorkspaceTools,
} from './worktree/workspace-files.ts';
export type { WorkspaceOwner } from './worktree/workspace-owner.ts';
export {
  type CleanPlan,
  cleanPlan,
  isReport,
  listWorkspaces,
  type StatusOptions,
  staleWorkspaces,
  type UnreadWorkspace,
  type WorkspaceReport,
  workspaceStatus,
  worktreeStatus,
} from './worktree/workspace-status.ts';
export { settleUses } from './worktree/workspace-use.ts';
