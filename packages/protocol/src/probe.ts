import { z } from 'zod';
import type { Closed } from './closed.ts';
import { errorInfoSchema } from './error-info.ts';

/** What Baton found out about an agent on this machine. */
export const probeSchema = z.looseObject({
  backend: z.string(),
  installed: z.boolean(),
  path: z.string().optional(),
  /** How the program was found: the setting or variable that names it, `PATH`, or the folder, such as `~/.baton/agents`. */
  foundBy: z.string().optional(),
  version: z.string().optional(),
  credentials: z.enum(['found', 'missing', 'unknown', 'not_needed']),
  /** Where the credentials were found, never what they are. */
  credentialSource: z.string().optional(),
  /** Programs of the agent's name that are not used because they come with the workspace. */
  skipped: z.array(z.string()).optional(),
  problems: z.array(errorInfoSchema),
  install: z.string(),
});
export type Probe = Closed<z.infer<typeof probeSchema>>;
