export { agentSteps } from './agent-steps.ts';
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
export { chainRunRecord } from './chain-record.ts';
export { conditionWords, holds } from './conditions.ts';
export {
  ChainEngine,
  type ChainEngineOptions,
  inputsFor,
  type StartChain,
  type StartedChain,
} from './engine/chain-engine.ts';
export { type AskUser, Detached } from './engine/run-step.ts';
export { chainsJsonSchema } from './file/chains-schema.ts';
export { chainsFileIn } from './file/find-chains-file.ts';
export { type LoadChainsInput, type LoadedChains, loadChains } from './file/load-chains.ts';
export { type Environment, withVariables } from './file/variables.ts';
export { mermaidOf } from './graph/mermaid.ts';
export { type StepStatuses, svgOf } from './graph/svg.ts';
export { outlineOf } from './outline.ts';
export type { Scope, StepValue } from './scope.ts';
export { type Expression, type Reference, references, render, renderList } from './templates.ts';
export { type WidenedRight, widenedRights } from './widened-rights.ts';
