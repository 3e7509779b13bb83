import { z } from 'zod';
import { finishedSchema, finishPlanSchema, finishSchema } from '../workspace/finish.ts';
import type { ServiceWire } from './service.ts';

const ofSession = { session_id: z.string(), request: finishSchema };

export const finishWire = {
  plan: { data: z.strictObject(ofSession), result: finishPlanSchema },
  carryOut: {
    data: z.strictObject({
      ...ofSession,
      /** State of the plan that the caller has read; it is refused if files or branches have changed since. */
      state: z.string().max(100),
    }),
    result: finishedSchema,
  },
} as const satisfies ServiceWire;
