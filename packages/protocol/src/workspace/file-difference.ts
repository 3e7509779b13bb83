import { z } from 'zod';
import type { Closed } from '../closed.ts';

/** A file that differs between two states of a folder. */
export const fileDifferenceSchema = z.looseObject({
  path: z.string(),
  /** The former path of a renamed file. */
  old_path: z.string().optional(),
  /** `replaced`: a file became a link or the reverse. */
  kind: z.enum(['added', 'deleted', 'modified', 'renamed', 'replaced']),
  entry: z.enum(['file', 'link', 'submodule']),
  /** Git's file modes, if the mode changed. */
  old_mode: z.string().optional(),
  new_mode: z.string().optional(),
  /** Git's object ids of the content on both sides, where the file exists; others mean other content. */
  old_id: z.string().optional(),
  new_id: z.string().optional(),
  is_binary: z.boolean(),
  /** Number of added and deleted lines; null for binary files. */
  additions: z.int().nullable(),
  deletions: z.int().nullable(),
});
export type FileDifference = Closed<z.output<typeof fileDifferenceSchema>>;
