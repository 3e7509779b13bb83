import { z } from 'zod';
import type { Closed } from '../closed.ts';

/** A pull request, or merge request, on a forge. */
export const pullRequestRefSchema = z.looseObject({ url: z.string(), number: z.int() });
export type PullRequestRef = Closed<z.output<typeof pullRequestRefSchema>>;
