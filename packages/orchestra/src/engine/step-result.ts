import type { ErrorInfo, StepOutcome } from '@baton/protocol';
import type { StepValue } from '../scope.ts';

/** What a step gave. */
export type StepResult = {
  outcome: StepOutcome;
  output: string;
  structured?: unknown;
  error?: ErrorInfo | undefined;
  /** Whether an agent of it printed the completion marker. */
  marker: boolean;
};

/** What templates and conditions see of it. */
export function stepValueOf({ outcome, output, structured }: StepResult): StepValue {
  return { outcome, output, ...(structured === undefined ? {} : { structured }) };
}

export function isFailure({ outcome }: StepResult): boolean {
  return outcome !== 'done' && outcome !== 'skipped';
}

/** Thrown where a chain cannot continue before a user decides. Steps at the same time finish first. */
export class Suspended extends Error {}

/** An approval step has no decision and nobody is there. */
export class AwaitsApproval extends Suspended {}

/** A step was interrupted and its agent cannot continue: it may have acted, so only a user can restart it. */
export class NeedsRestart extends Suspended {
  readonly step: string;

  constructor(step: string) {
    super(`Step "${step}" was interrupted.`);
    this.step = step;
  }
}
