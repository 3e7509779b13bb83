import type { Schema } from './schema.ts';

/** Limits of a number field, in the unit of the field. */
export type Limits = {
  min: number | undefined;
  max: number | undefined;
  step: number | 'any';
  /** Exclusive minimum, which browsers do not check. */
  above: number | undefined;
};

/** Returns the limits of the number that a schema describes. */
export function limitsOf(schema: Schema): Limits {
  const { type, scale = 1, minimum, exclusiveMinimum, maximum } = schema;
  const inUnit = (limit: number | undefined) => (limit === undefined ? undefined : limit / scale);
  const max = inUnit(maximum);
  if (type !== 'integer' || scale !== 1) {
    return { min: inUnit(minimum), max, step: 'any', above: inUnit(exclusiveMinimum) };
  }
  const least = exclusiveMinimum === undefined ? minimum : exclusiveMinimum + 1;
  return { min: least, max, step: 1, above: undefined };
}
