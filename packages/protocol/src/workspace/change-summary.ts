import { z } from 'zod';
import type { Closed } from '../closed.ts';

/** Number of paths in a summary. */
export const MAX_SUMMARY_PATHS = 200;

/** Size of the difference between the files of a workspace and those it started from. */
export const changeSummarySchema = z.looseObject({
  /** Number of files that differ. */
  files: z.int().min(0),
  additions: z.int().min(0),
  deletions: z.int().min(0),
  /** The first paths of these files. */
  paths: z.array(z.string()),
});
export type ChangeSummary = Closed<z.output<typeof changeSummarySchema>>;
