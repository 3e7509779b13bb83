import { mistakeIn, unlessAbove } from '../../design/mistake-in.ts';
import { limitsOf } from './limits.ts';
import { kindOf, type Schema } from './schema.ts';

/** The first mistake in some options, with the name of its field; nothing when all are right. */
export function mistakeOf(
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
  if (kind === 'group') return mistakeOf(part, value as Record<string, unknown>);
  const mistake = kind === 'number' ? inNumber(part, Number(value)) : undefined;
  return mistake && `${part.title ?? name}: ${mistake}`;
}

/** As the field of the number says it. */
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
  return mistakeIn({ validity: { ...validity, valid }, ...limits }) ?? unlessAbove(above, amount);
}
