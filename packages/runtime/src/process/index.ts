export {
  type BinarySearch,
  type FoundBinary,
  findBinary,
  pathOutside,
  type SearchContext,
  skippedPrograms,
  skippedWords,
} from './binary.ts';
export { endFamily, isAlive, type RememberedProcess } from './end-family.ts';
export { endTools } from './end-tools.ts';
export { LineSplitter, type LineSplitterOptions } from './lines.ts';
export { killEverythingNow } from './live.ts';
export { nativeCodex } from './native-codex.ts';
export {
  findOrphans,
  leaveOrphans,
  type OrphanedRun,
  sweepOrphans,
  sweepOrphansOnce,
} from './orphans.ts';
export { packageVersionNear } from './package-version.ts';
export { AgentProcess, type ProcessExit } from './spawn.ts';
export type { SpawnRequest } from './spawn-request.ts';
export {
  countProcesses,
  killLeftovers,
  type LadderOptions,
  type LadderStep,
  signalStep,
  stopProcess,
} from './stop.ts';
export { canVerify, type ProcessInfo, processTree, survivors } from './tree.ts';
