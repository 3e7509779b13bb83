import type { Schema } from './schema.ts';

/** What a field of a number takes, in the unit that it is filled in with. */
export type Limits = {
  min: number | undefined;
  max: number | undefined;
  step: number | 'any';
  /** The number has to be more than that, which browsers do not check. */
  above: number | undefined;
};

/** The limits of a number that a schema describes. */
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
