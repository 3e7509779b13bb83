/** A JSON object of unknown shape. */
export type Json = Record<string, unknown>;

/** Reads a line as a JSON value; `undefined` when it is none. */
export function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** True if a value is a JSON object. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value when it is an object, else an empty one. */
export function object(value: unknown): Json {
  return isObject(value) ? value : {};
}

/** The value when it is a string. */
export function string(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The value when it is a finite number. */
export function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The value when it is a whole number, such as an exit code. */
export function integer(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? Number(value) : undefined;
}

/** A number of things, such as tokens, or undefined. */
export function count(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
}

/** The value when it is an array, else an empty one. */
export function array(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
