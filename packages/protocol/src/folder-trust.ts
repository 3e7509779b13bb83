import { z } from 'zod';
import type { Closed } from './closed.ts';

/** Trust of an agent in the settings of a folder: hooks, MCP servers, plugins, rules. */
export const folderTrustSchema = z.looseObject({
  folder: z.string(),
  trusted: z.boolean(),
  /**
   * Source of the decision: the user in Baton's settings, the agent's own records, or the caller for this run.
   * Undefined without a decision.
   */
  decidedBy: z.enum(['user', 'agent', 'caller']).optional(),
  /** The agent's settings that were found in the folder and, within a repository, above it. */
  settings: z.array(z.string()),
});
export type FolderTrust = Closed<z.infer<typeof folderTrustSchema>>;
