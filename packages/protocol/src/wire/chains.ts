import { z } from 'zod';
import { outlineStepSchema } from '../chain/chain-outline.ts';
import type { Closed } from '../closed.ts';
import { absolutePathSchema } from './absolute-path.ts';
import type { ServiceWire } from './service.ts';

const pathSchema = absolutePathSchema('must be an absolute path on the machine of the daemon');

/** A value that the user gives when a chain starts. */
const chainInputSchema = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  default: z.string().optional(),
  choices: z.array(z.string()).optional(),
  multiline: z.boolean().optional(),
});

/** An entry of a chains file that gives agents more permissions than they have by default. */
const widenedRightSchema = z.looseObject({
  chain: z.string(),
  step: z.string(),
  what: z.string(),
  value: z.string(),
});

const chainSchema = z.looseObject({
  name: z.string(),
  description: z.string().nullable(),
  inputs: z.array(chainInputSchema),
  outline: z.array(outlineStepSchema),
});
export type ChainRecord = Closed<z.output<typeof chainSchema>>;

/** A chains file on the daemon's machine. */
const chainsFileSchema = z.looseObject({
  file: z.string(),
  folder: z.string(),
  /** Hash of the file and of the files that it includes. */
  hash: z.string(),
  /** The daemon runs only files that a user trusts as they are. */
  trusted: z.boolean(),
  widened: z.array(widenedRightSchema),
  chains: z.array(chainSchema),
  /** The error in the file, which then has no chains. */
  problem: z.string().nullable(),
});
export type ChainsFileRecord = Closed<z.output<typeof chainsFileSchema>>;

export const chainsWire = {
  find: {
    query: z.strictObject({
      /** The folder to look in; without it, the folders of all sessions and chain runs. */
      cwd: pathSchema.optional(),
      /** A single file, instead of those in folders. */
      file: pathSchema.optional(),
    }),
    result: z.array(chainsFileSchema),
  },
  trust: {
    data: z.strictObject({
      file: pathSchema,
      /** Hash of the version that the user has seen: a file that changed since then is not trusted. */
      hash: z.string().max(200),
    }),
    result: chainsFileSchema,
  },
} as const satisfies ServiceWire;
