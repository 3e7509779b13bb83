export type {
  AgentOptions,
  AgentStep,
  ApprovalStep,
  Chain,
  ChainInput,
  Condition,
  ForEachStep,
  LoopStep,
  ParallelStep,
  Step,
} from './chain.ts';
export { conditionWords, holds } from './conditions.ts';
export {
  agentSteps,
  ChainEngine,
  type ChainEngineOptions,
  inputsFor,
  type StartChain,
  type StartedChain,
} from './engine/chain-engine.ts';
export {
  Detached,
  type FoundTask,
  type StepHost,
  type StepTask,
  type TaskEnd,
} from './engine/step-host.ts';
export { taskEndOf, usageOf } from './engine/task-end.ts';
export { LocalHost, type LocalHostOptions } from './local/local-host.ts';
export { outlineOf } from './outline.ts';
export type { Scope, StepValue } from './scope.ts';
export { type Expression, type Reference, references, render, renderList } from './templates.ts';
