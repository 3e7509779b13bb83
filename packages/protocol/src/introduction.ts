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

/** A command of an agent, which a prompt begins with after a slash. */
export const commandInfoSchema = z.looseObject({
  /** Without the slash. */
  name: z.string(),
  description: z.string().optional(),
});
export type CommandInfo = Closed<z.infer<typeof commandInfoSchema>>;

/** What an agent tells of itself before it has got a prompt; what it does not tell is empty. */
export type Introduction = { models: ModelInfo[]; commands: CommandInfo[] };
