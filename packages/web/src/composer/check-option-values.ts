import type { BackendRecord } from '@baton/client';
import { BatonError } from '@baton/protocol';
import { optionError } from '../agents/form/option-error.ts';
import { optionsSchemaOf } from '../agents/form/options-schema.ts';

/** Rejects invalid options before sending, with the label of the field, because the form may be closed by now. */
export function checkOptionValues(
  backend: BackendRecord | undefined,
  options: Readonly<Record<string, unknown>>,
): void {
  const mistake = backend && optionError(optionsSchemaOf(backend), options);
  if (!mistake) return;
  throw new BatonError('usage', mistake, { hint: 'Fix it in the options of this prompt.' });
}
