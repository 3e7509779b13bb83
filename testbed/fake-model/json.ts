export type JsonObject = Record<string, unknown>;

/** The value as an object, or an empty one when it is anything else. */
export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The value as an array, or an empty one when it is anything else. */
export function asArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value as a string, or an empty one when it is anything else. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The object written in the text, or an empty one when the text is not a JSON object. */
export function parseObject(text: string): JsonObject {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
