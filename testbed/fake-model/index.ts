export type { RecordedRequest } from './record.ts';
export type { Api } from './routes.ts';
export { type Scenario, scenarios } from './scenarios.ts';
export { type FakeModel, startFakeModel } from './server.ts';
export type {
  Answer,
  Fault,
  FaultKind,
  PlanStep,
  Question,
  Step,
  StopReason,
  ToolCall,
  Usage,
} from './steps.ts';
