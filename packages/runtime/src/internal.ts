/** Exports for Baton's other packages, in addition to the public interface; they change without notice. */

export type * from './adapter.ts';
export { COMMAND_BACKEND } from './backends/acp/index.ts';
export { ownEntry } from './backends/own/index.ts';
export type { Confine, RunHooks } from './definition/backend.ts';
export { schemaCheck } from './emulate/schema-check.ts';
export * from './index.ts';
export { compareVersions } from './install/compare-versions.ts';
export {
  type InstallRequest,
  type InstallResult,
  type InstallStep,
  installAgent,
  installableAgents,
  uninstallAgent,
  updateAgent,
} from './install/install-agent.ts';
export { embedChildPrograms } from './kit/child-program.ts';
/** The MCP servers in the agents' own files, loaded on first use. */
export const loadMcpConfig = () => import('./mcp-config/index.ts');
export { readImage } from './kit/image-file.ts';
export type {
  AgentServers,
  ConfiguredServer,
  EditedFile,
  ServerReport,
} from './mcp-config/index.ts';
export { actionOf } from './normalize/actions.ts';
export {
  checkNames,
  checkProviderOptions,
  checkSupported,
  resolveOptions,
} from './options/check-options.ts';
export { writeFileAtomically } from './paths/atomic-file.ts';
export { homeFolder } from './paths/home-folder.ts';
export { isInside } from './paths/is-inside.ts';
export { isProtected, PROTECTED_PATHS } from './paths/protected-paths.ts';
export { type ReadInsideOptions, readFileInside } from './paths/read-inside.ts';
export { resolveLinks } from './paths/resolve-links.ts';
export { defaultPrices } from './prices/estimate-cost.ts';
export {
  AgentProcess,
  endProcessTree,
  findBinary,
  findOrphans,
  isAlive,
  killLeftovers,
  LineSplitter,
  leaveOrphans,
  type OrphanedRun,
  pathOutside,
  type RememberedProcess,
  signalStep,
  skippedWords,
  startTicksOf,
  stopProcess,
  sweepOrphans,
  type UnixAccount,
  unixAccount,
} from './process/index.ts';
export { probeOfBroken } from './registry/broken-probe.ts';
export { DEFAULT_BACKEND, Registry } from './registry/registry.ts';
export { checkAnswer } from './run/check-answer.ts';
export { denyUnattended } from './run/deny-request.ts';
export { editedPaths } from './run/permission-policy.ts';
export { possiblePaths } from './run/possible-paths.ts';
export { type Recognised, Replay, recognise, recogniseLine } from './run/replay.ts';
export { widenPermissions } from './run/widen-permissions.ts';
export { providerKeys } from './run/withheld-variables.ts';
export {
  type ConfigFile,
  type ConfigKind,
  changeUserConfig,
  configSchema,
  loadSettings,
  type Program,
  positionOf,
  readConfigFile,
  resolveSettings,
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingName,
  Settings,
  userConfigPath,
} from './settings/index.ts';
export { keepDecision, keptDecisions } from './settings/keep-decision.ts';
export { raceTimer } from './time/race-timer.ts';
export type { TrustDecisions } from './trust/trusted-folders.ts';
export { isSingleCommand, programWords } from './values/command-words.ts';
export { similarNames } from './values/similar-names.ts';
