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
export { outlineOf } from './outline.ts';
export type { Scope, StepValue } from './scope.ts';
export { type Expression, type Reference, references, render, renderList } from './templates.ts';
