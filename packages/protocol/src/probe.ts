import { z } from 'zod';
import type { Closed } from './closed.ts';
import { errorInfoSchema } from './error-info.ts';

/** State of an agent on this machine. */
export const probeSchema = z.looseObject({
  backend: z.string(),
  installed: z.boolean(),
  path: z.string().optional(),
  /** Source of the path: the setting or variable that names it, `PATH`, or the folder, such as `~/.baton/agents`. */
  foundBy: z.string().optional(),
  version: z.string().optional(),
  credentials: z.enum(['found', 'missing', 'unknown', 'not_needed']),
  /** Location of the credentials, never their values. */
  credentialSource: z.string().optional(),
  /** Programs with the agent's name that are not used because they are inside the workspace. */
  skipped: z.array(z.string()).optional(),
  problems: z.array(errorInfoSchema),
  install: z.string(),
});
export type Probe = Closed<z.infer<typeof probeSchema>>;
