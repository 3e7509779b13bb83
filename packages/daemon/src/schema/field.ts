import { type JsonSchema, propertiesOf, requiredOf } from './json-schema.ts';

/** One field of a request or a response, for documentation. */
export type Field = { name: string; type: string; isRequired: boolean };

/** The fields of an object as text; those of several variants are merged. */
export function fieldsOf(schema: JsonSchema): Field[] {
  const forms = (schema.anyOf ?? schema.oneOf ?? [schema]) as JsonSchema[];
  const fields = new Map<string, Field>();
  for (const form of forms) {
    for (const [name, each] of Object.entries(propertiesOf(form))) {
      const isRequired =
        forms.every((other) => requiredOf(other).includes(name)) && each.default === undefined;
      const known = fields.get(name);
      const type = [...new Set([...(known ? [known.type] : []), described(each)])].join(' or ');
      fields.set(name, { name, type, isRequired });
    }
  }
  return [...fields.values()];
}

function described(schema: JsonSchema): string {
  const { default: byDefault } = schema;
  return byDefault === undefined
    ? typeOf(schema)
    : `${typeOf(schema)} = ${JSON.stringify(byDefault)}`;
}

/** Describes the type of a value in a few words. */
export function typeOf(schema: JsonSchema): string {
  const { $ref, type, enum: values, items, anyOf, oneOf } = schema;
  if (typeof $ref === 'string') return $ref.split('/').at(-1) ?? 'object';
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  const forms = (anyOf ?? oneOf) as JsonSchema[] | undefined;
  if (forms) return [...new Set(forms.map(typeOf))].join(' | ');
  if (type === 'array') return `list of ${typeOf((items ?? {}) as JsonSchema)}`;
  if (Array.isArray(type)) return type.join(' | ');
  return typeof type === 'string' ? type : 'anything';
}
