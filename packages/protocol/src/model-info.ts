import { z } from 'zod';
import type { Closed } from './closed.ts';

/** A model as its agent names it; other names may work too. */
export const modelInfoSchema = z.looseObject({
  /** What is given as the model of a run. */
  id: z.string(),
  label: z.string(),
  description: z.string().optional(),
});
export type ModelInfo = Closed<z.infer<typeof modelInfoSchema>>;
