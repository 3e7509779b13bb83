import { z } from 'zod';
import type { ServiceWire } from './service.ts';

const fileQuerySchema = z
  .strictObject({
    session_id: z.string().optional(),
    cwd: z.string().max(4096).optional(),
    /** Some letters of the path. */
    search: z.string().max(500).default(''),
    limit: z.coerce.number<number>().int().min(1).max(500).default(50),
  })
  .refine(
    ({ session_id, cwd }) => (session_id === undefined) !== (cwd === undefined),
    'Pass either a session or a folder.',
  );
export type FileQuery = z.input<typeof fileQuerySchema>;

/** Files and folders that match, the best match first. */
const foundFilesSchema = z.strictObject({
  /** The folder that the paths are relative to. */
  cwd: z.string(),
  data: z.array(z.strictObject({ path: z.string(), kind: z.enum(['file', 'folder']) })),
  /** False when the folder was too large to search all of it. */
  complete: z.boolean(),
});
export type FoundFiles = z.output<typeof foundFilesSchema>;

export const filesWire = {
  find: { query: fileQuerySchema, result: foundFilesSchema },
} as const satisfies ServiceWire;
