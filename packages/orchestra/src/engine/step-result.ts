import type { ErrorInfo, StepOutcome } from '@baton/protocol';
import type { StepValue } from '../scope.ts';

/** Result of a step. */
export type StepResult = {
  outcome: StepOutcome;
  output: string;
  structured?: unknown;
  error?: ErrorInfo | undefined;
  /** True if an agent of the step printed the completion marker. */
  marker: boolean;
};

/** Returns the part of a result that templates and conditions can use. */
export function stepValueOf({ outcome, output, structured }: StepResult): StepValue {
  return { outcome, output, ...(structured === undefined ? {} : { structured }) };
}

export function isFailure({ outcome }: StepResult): boolean {
  return outcome !== 'done' && outcome !== 'skipped';
}

/** Thrown where a chain cannot continue before a user decides. Steps at the same time finish first. */
export class Suspended extends Error {}

/** Thrown at an approval step without a decision when no user is there to decide. */
export class AwaitsApproval extends Suspended {}

/** A step was interrupted and its agent cannot continue: it may have acted, so only a user can restart it. */
export class NeedsRestart extends Suspended {
  readonly step: string;

  constructor(step: string) {
    super(`Step "${step}" was interrupted.`);
    this.step = step;
  }
}
