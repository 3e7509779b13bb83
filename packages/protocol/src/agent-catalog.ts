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

/** The models and commands that an agent reports before its first prompt; empty where it reports none. */
export type AgentCatalog = { models: ModelInfo[]; commands: CommandInfo[] };
