import { useState } from 'react';
import { keepDraft, keptDraft } from '../../data/draft.ts';
import { parsed } from '../../text/parsed.ts';
import type { InputValues } from './input-values.ts';

type FormValues = { cwd: string; inputs: InputValues };

/** The values of the form; saved with the prompt drafts until the chain starts. */
export function useFormDraft(place: readonly unknown[], atFirst: FormValues) {
  const key = `chain ${JSON.stringify(place)}`;
  const [values, setValues] = useState<FormValues>(() => {
    const kept = parsed(keptDraft(key).text) as Partial<FormValues> | undefined;
    return { ...atFirst, ...kept };
  });
  const change = (next: FormValues) => {
    keepDraft(key, { text: JSON.stringify(next) });
    setValues(next);
  };
  return [values, { change, forget: () => keepDraft(key, { text: '' }) }] as const;
}
