import { z } from 'zod';
import type { ServiceWire } from './service.ts';

const subfolderSchema = z.strictObject({
  name: z.string(),
  path: z.string(),
  /** True if the folder is the root of a Git repository. */
  is_repository: z.boolean(),
});

/** The folders in a folder of the daemon's machine. */
const folderRecordSchema = z.strictObject({
  path: z.string(),
  /** Null for the root. */
  parent: z.string().nullable(),
  is_repository: z.boolean(),
  data: z.array(subfolderSchema),
  /** False if there are more folders than listed. */
  complete: z.boolean(),
});
export type FolderRecord = z.output<typeof folderRecordSchema>;

export const foldersWire = {
  find: {
    query: z.strictObject({ path: z.string().max(4096).default('') }),
    result: folderRecordSchema,
  },
  create: {
    data: z.strictObject({ path: z.string().min(1).max(4096) }),
    result: z.strictObject({ path: z.string() }),
  },
} as const satisfies ServiceWire;
