import { attackCases } from './cases/attacks.ts';
import { failureCases } from './cases/failures.ts';
import { optionCases } from './cases/options.ts';
import { permissionCases } from './cases/permissions.ts';
import { sessionCases } from './cases/sessions.ts';
import { stoppingCases } from './cases/stopping.ts';
import { streamingCases } from './cases/streaming.ts';
import { toolCases } from './cases/tools.ts';
import { trustCases } from './cases/trust.ts';
import { volumeCases } from './cases/volume.ts';
import type { ConformanceCase, ConformanceSubject } from './stage/subject.ts';

export { brokenPromises } from '@baton/engine/run/event-promises';
export { checkScripts, type ModuleConformance, moduleSubject } from './module-subject.ts';
export type {
  ConformanceCase,
  ConformanceSubject,
  FailureKind,
  FolderHook,
  Proved,
  ScriptStep,
  StepKind,
  World,
} from './stage/subject.ts';

/** Everything a backend must do; hand each case to the test runner of your choice. */
export function conformanceCases(subject: ConformanceSubject): ConformanceCase[] {
  return [
    ...streamingCases(subject),
    ...toolCases(subject),
    ...permissionCases(subject),
    ...attackCases(subject),
    ...trustCases(subject),
    ...sessionCases(subject),
    ...optionCases(subject),
    ...stoppingCases(subject),
    ...failureCases(subject),
    ...volumeCases(subject),
  ];
}
