import type { StepOutcome } from '@baton/protocol';

/** The part of an earlier step's result that templates and conditions can use. */
export type StepValue = {
  outcome: StepOutcome;
  output: string;
  structured?: unknown;
};

/** The values that templates and conditions refer to. */
export type Scope = {
  inputs: Readonly<Record<string, string>>;
  /** Earlier steps by id: those before it in its list, and before the steps that contain it. */
  steps: ReadonlyMap<string, StepValue>;
  /** The step before; in the first step of an iteration, the last one of the iteration before. */
  previous?: StepValue | undefined;
  /** The item and its number, from 0, inside `forEach`. */
  item?: unknown;
  index?: number | undefined;
  /** The number of the iteration, from 1, inside a loop or an agent with iterations. */
  iteration?: number | undefined;
};
