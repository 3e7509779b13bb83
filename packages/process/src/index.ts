export {
  endProcessTree,
  isAlive,
  type RememberedProcess,
  startTicksOf,
} from './end-process-tree.ts';
export { endTools } from './end-tools.ts';
export {
  type BinarySearch,
  type FoundBinary,
  findBinary,
  pathOutside,
  type SearchContext,
  skippedPrograms,
  skippedWords,
} from './find-binary.ts';
export { type FoundLibrary, findLibrary, type LibrarySearch, readPackage } from './find-library.ts';
export { LineSplitter, type LineSplitterOptions } from './line-splitter.ts';
export { killEverythingNow } from './live-agents.ts';
export {
  findOrphans,
  leaveOrphans,
  type OrphanedRun,
  sweepOrphans,
  sweepOrphansOnce,
} from './orphans.ts';
export { packageVersionNear } from './package-version.ts';
export { canVerify, type ProcessInfo, processTree, survivors } from './process-table.ts';
export { AgentProcess, type ProcessExit } from './spawn.ts';
export type { SpawnRequest } from './spawn-request.ts';
export {
  countProcesses,
  killLeftovers,
  type LadderOptions,
  type LadderStep,
  signalStep,
  stopProcess,
} from './stop-process.ts';
export { type UnixAccount, unixAccount } from './unix-account.ts';
