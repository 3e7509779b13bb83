import { unlessAbove, validationError } from '../../design/validation-error.ts';
import { limitsOf } from './number-limits.ts';
import { kindOf, type Schema } from './schema.ts';

/** The first validation error of some options, with the label of its field; undefined if all are valid. */
export function optionError(
  schema: Schema,
  options: Readonly<Record<string, unknown>>,
): string | undefined {
  for (const [name, part] of Object.entries(schema.properties ?? {})) {
    const mistake = inPart(name, part, options[name]);
    if (mistake) return mistake;
  }
  return undefined;
}

function inPart(name: string, part: Schema, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const kind = kindOf(part);
  if (kind === 'group') return optionError(part, value as Record<string, unknown>);
  const mistake = kind === 'number' ? inNumber(part, Number(value)) : undefined;
  return mistake && `${part.title ?? name}: ${mistake}`;
}

/** The same text as the number field shows. */
function inNumber(schema: Schema, value: number): string | undefined {
  const amount = value / (schema.scale ?? 1);
  const { min, max, step, above } = limitsOf(schema);
  const validity = {
    rangeUnderflow: min !== undefined && amount < min,
    rangeOverflow: max !== undefined && amount > max,
    stepMismatch: step === 1 && !Number.isInteger(amount),
  };
  const valid = !Object.values(validity).includes(true);
  const limits = { min: String(min), max: String(max), validationMessage: '' };
  return (
    validationError({ validity: { ...validity, valid }, ...limits }) ?? unlessAbove(above, amount)
  );
}
