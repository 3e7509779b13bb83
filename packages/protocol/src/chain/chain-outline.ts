import { z } from 'zod';

export const STEP_KINDS = ['agent', 'parallel', 'loop', 'forEach', 'approval'] as const;
export type StepKind = (typeof STEP_KINDS)[number];

/** A step as graphs and trees show it. */
export type OutlineStep = {
  id: string;
  kind: StepKind;
  agent?: string | undefined;
  backend?: string | undefined;
  /** The limit of a loop, or of the iterations of an agent. */
  iterations?: number | undefined;
  /** The condition in words. */
  condition?: string | undefined;
  steps?: OutlineStep[] | undefined;
};

export const outlineStepSchema: z.ZodType<OutlineStep> = z.looseObject({
  id: z.string(),
  kind: z.enum(STEP_KINDS),
  agent: z.string().optional(),
  backend: z.string().optional(),
  iterations: z.int().optional(),
  condition: z.string().optional(),
  get steps() {
    return z.array(outlineStepSchema).optional();
  },
});
