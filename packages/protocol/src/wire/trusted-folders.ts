import { z } from 'zod';
import { folderTrustSchema } from '../folder-trust.ts';
import type { ServiceWire } from './service.ts';

const folderSchema = z.string().min(1).max(4096);

/** The user's decision on agents using the settings of a folder. */
const folderDecisionSchema = z.strictObject({ folder: z.string(), trusted: z.boolean() });
export type FolderDecision = z.output<typeof folderDecisionSchema>;

export const trustedFoldersWire = {
  find: { result: z.array(folderDecisionSchema) },
  check: {
    data: z.strictObject({ folder: folderSchema, backend: z.string() }),
    result: folderTrustSchema,
  },
  create: {
    data: folderDecisionSchema.extend({ folder: folderSchema }),
    result: folderDecisionSchema,
  },
  forget: {
    data: z.strictObject({ folder: folderSchema }),
    result: z.strictObject({ folder: z.string() }),
  },
} as const satisfies ServiceWire;
