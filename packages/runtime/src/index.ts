export { BACKEND_ALIASES, canonicalName } from './aliases.ts';
export type {
  AgentRun,
  AnswerReceipt,
  Backend,
  BackendSettings,
  Confine,
  ConfinedCommand,
  Conversation,
  LaunchedCommand,
  OpenOptions,
  PendingRequest,
  ProviderOption,
  ProviderOptions,
  RunHooks,
  RunInput,
} from './backend.ts';
export { checkAnswer } from './check-answer.ts';
export { checkProviderOptions, checkSupported } from './check-options.ts';
export { configuredBackend } from './configured-backend.ts';
export {
  type BackendSpec,
  type Credentials,
  defineBackend,
  type Surroundings,
} from './define-backend.ts';
export type {
  Dialect,
  DialectEntry,
  DialectOut,
  EventDraft,
  PromptInput,
  StreamEnd,
  Verdict,
} from './dialect.ts';
export {
  DEFAULT_STOP,
  type Driver,
  type Launch,
  type LaunchInput,
  type ResolvedOptions,
  type StopTimes,
} from './driver.ts';
export { schemaCheck } from './emulate/output-schema.ts';
export { homeFolder } from './home-folder.ts';
export { launch } from './launch.ts';
export { actionOf } from './normalize/actions.ts';
export {
  type Recognised,
  Replay,
  type ReplayInput,
  recognise,
  recogniseLine,
} from './normalize/replay.ts';
export { followed } from './paths/follow-links.ts';
export { isInside } from './paths/is-inside.ts';
export { isProtected, protectedPaths } from './paths/protected-paths.ts';
export { allowedByMode, editedPaths, isSingleCommand } from './permission-policy.ts';
export {
  AgentProcess,
  endFamily,
  findBinary,
  findOrphans,
  isAlive,
  killEverythingNow,
  killLeftovers,
  LineSplitter,
  leaveOrphans,
  type OrphanedRun,
  pathOutside,
  type RememberedProcess,
  signalStep,
  skippedWords,
  stopProcess,
  sweepOrphans,
} from './process/index.ts';
export { raceTimer } from './race-timer.ts';
export { nobodyToAsk, refusal } from './refusal.ts';
export {
  type BackendEntry,
  backendEntries,
  backendEntry,
  loadBackend,
  registerBackend,
} from './registry.ts';
export { DEFAULT_RETRY, type RetryPolicy, withRetry } from './retry.ts';
export {
  DEFAULT_BACKEND,
  handledBy,
  type RunnerFacts,
  registeredBackends,
  selectBackend,
  unsupportedBackendMessage,
} from './selection.ts';
export {
  loadSettings,
  type Program,
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingName,
  Settings,
  type SettingsInput,
  type SettingValue,
} from './settings/index.ts';
export { keepDecision, keptDecisions } from './trust/keep-decision.ts';
export type { TrustDecisions } from './trust/trusted-folders.ts';
