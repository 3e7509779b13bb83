import { z } from 'zod';
import type { Closed } from './closed.ts';

/** A model that the agent reports; other models may work too. */
export const modelInfoSchema = z.looseObject({
  /** Value for the `model` option of a run. */
  id: z.string(),
  label: z.string(),
  description: z.string().optional(),
});
export type ModelInfo = Closed<z.infer<typeof modelInfoSchema>>;

/** A slash command of an agent, at the start of a prompt. */
export const commandInfoSchema = z.looseObject({
  /** Without the slash. */
  name: z.string(),
  description: z.string().optional(),
});
export type CommandInfo = Closed<z.infer<typeof commandInfoSchema>>;

/** The models and commands that an agent reports before its first prompt; empty if it reports none. */
export type AgentCatalog = { models: ModelInfo[]; commands: CommandInfo[] };
