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

/** Something in a chains file that gives agents more rights than they have by default. */
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
  /** Of the file and of the files that it includes. */
  hash: z.string(),
  /** The daemon runs only files that a user trusts as they are. */
  trusted: z.boolean(),
  widened: z.array(widenedRightSchema),
  chains: z.array(chainSchema),
  /** What is wrong with the file; then it has no chains. */
  problem: z.string().nullable(),
});
export type ChainsFileRecord = Closed<z.output<typeof chainsFileSchema>>;

export const chainsWire = {
  find: {
    query: z.strictObject({
      /** The folder to look in; without it, the folders of all sessions and chain runs. */
      cwd: pathSchema.optional(),
      /** One file, in place of those of folders. */
      file: pathSchema.optional(),
    }),
    result: z.array(chainsFileSchema),
  },
  trust: {
    data: z.strictObject({
      file: pathSchema,
      /** What the user has seen: a file that changed since is not trusted. */
      hash: z.string().max(200),
    }),
    result: chainsFileSchema,
  },
} as const satisfies ServiceWire;
