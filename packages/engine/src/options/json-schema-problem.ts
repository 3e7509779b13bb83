import { isObject } from '@baton/config/values/json';

const TYPES = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'];
const ONE = [
  'items',
  'additionalProperties',
  'not',
  'contains',
  'propertyNames',
  'if',
  'then',
  'else',
];
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions'];

/**
 * Returns the first problem with the form of a JSON Schema. It is checked by hand, because a mistake in a request is
 * reported before anything starts, and Ajv takes too long to load for that.
 */
export function jsonSchemaProblem(schema: unknown, path = 'schema'): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isObject(schema)) return `${path} must be an object or a boolean.`;
  const { type, required, enum: values, pattern } = schema;
  const types = Array.isArray(type) ? type : [type ?? 'object'];
  const wrongType = types.find((each) => !TYPES.includes(each));
  if (wrongType !== undefined || types.length === 0) {
    return `${path}.type must be one of ${TYPES.join(', ')}, not ${JSON.stringify(wrongType)}.`;
  }
  if (required !== undefined && !isListOfTexts(required)) {
    return `${path}.required must be an array of names.`;
  }
  if (values !== undefined && !Array.isArray(values)) return `${path}.enum must be an array.`;
  if (pattern !== undefined && !isPattern(pattern)) {
    return `${path}.pattern must be a regular expression.`;
  }
  return partsOf(schema, path);
}

function partsOf(schema: Record<string, unknown>, path: string): string | undefined {
  const parts: [string, unknown][] = [];
  for (const name of ONE) if (name in schema) parts.push([`${path}.${name}`, schema[name]]);
  for (const name of LISTS) {
    const list = schema[name];
    if (list === undefined) continue;
    if (!Array.isArray(list) || list.length === 0)
      return `${path}.${name} must be an array of schemas.`;
    list.forEach((part, index) => {
      parts.push([`${path}.${name}[${index}]`, part]);
    });
  }
  for (const name of MAPS) {
    const map = schema[name];
    if (map === undefined) continue;
    if (!isObject(map)) return `${path}.${name} must be an object of schemas.`;
    for (const [key, part] of Object.entries(map)) parts.push([`${path}.${name}.${key}`, part]);
  }
  for (const [place, part] of parts) {
    const problem = jsonSchemaProblem(part, place);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isPattern(value: unknown): boolean {
  try {
    return typeof value === 'string' && new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
