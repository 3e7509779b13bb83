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
export { chainsJsonSchema } from './file/chains-schema.ts';
export { type LoadChainsInput, type LoadedChains, loadChains } from './file/load-chains.ts';
export { type Environment, withVariables } from './file/variables.ts';
export { mermaidOf } from './graph/mermaid.ts';
export { type StepStatuses, svgOf } from './graph/svg.ts';
export { outlineOf } from './outline.ts';
export type { Scope, StepValue } from './scope.ts';
export { type Expression, type Reference, references, render, renderList } from './templates.ts';
export { type WidenedRight, widenedRights } from './widened-rights.ts';
