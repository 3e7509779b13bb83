/** The fields that were seen on lines of each type. */
export type LineShapes = Map<string, Set<string>>;

/** Values that say which kind of line this is, in the formats that agents print. */
const DISCRIMINATORS = [
  'type',
  'subtype',
  'method',
  'event.type',
  'event.content_block.type',
  'event.delta.type',
  'item.type',
  'request.subtype',
  'response.subtype',
  'params.item.type',
];
/** Free-form content: what is in there is the model's or the user's business. */
const OPAQUE = /(^|\.)(input|arguments|tool_input|tool_response|tool_use_result|config|env)$/;
/** Keys that are data and not names of fields: ids, models, paths. */
const DATA_KEY = /[0-9]{3,}|[-/@ ].*[0-9]|^[0-9]|\//;

/** Collects the types and fields of the JSON lines that an agent printed. */
export function lineShapes(lines: readonly string[]): LineShapes {
  const shapes: LineShapes = new Map();
  for (const line of lines) {
    const value = parse(line);
    const type = value ? lineType(value) : 'not JSON';
    const fields = shapes.get(type) ?? new Set();
    if (value) addFields(value, '', fields);
    shapes.set(type, fields);
  }
  return shapes;
}

function lineType(value: Record<string, unknown>): string {
  const parts = DISCRIMINATORS.map((path) => at(value, path)).filter(
    (part): part is string => typeof part === 'string',
  );
  if (parts.length > 0) return parts.join(' ');
  return 'result' in value ? 'response' : 'error' in value ? 'error response' : 'other';
}

function addFields(value: unknown, path: string, fields: Set<string>): void {
  if (Array.isArray(value)) {
    for (const each of value) addFields(each, `${path}[]`, fields);
    return;
  }
  if (path !== '') fields.add(path);
  if (!isObject(value) || OPAQUE.test(path)) return;
  for (const [key, child] of Object.entries(value)) {
    const name = DATA_KEY.test(key) ? '*' : key;
    addFields(child, path === '' ? name : `${path}.${name}`, fields);
  }
}

function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((object, key) => (isObject(object) ? object[key] : undefined), value);
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
