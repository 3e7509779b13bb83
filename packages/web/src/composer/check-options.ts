import type { BackendRecord } from '@baton/client';
import { BatonError } from '@baton/protocol';
import { mistakeOf } from '../agents/form/mistake-of.ts';
import { optionsSchemaOf } from '../agents/options-schema.ts';

/** Refuses options that the agent would refuse, in the words of their fields, which may be closed by now. */
export function checkOptions(
  backend: BackendRecord | undefined,
  options: Readonly<Record<string, unknown>>,
): void {
  const mistake = backend && mistakeOf(optionsSchemaOf(backend), options);
  if (!mistake) return;
  throw new BatonError('usage', mistake, { hint: 'Correct it in the options of this prompt.' });
}
