/** The part of JSON Schema that the options of agents use. */
export type Schema = {
  type?: string;
  title?: string;
  description?: string;
  enum?: readonly string[];
  properties?: Readonly<Record<string, Schema>>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: readonly Schema[];
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  /** Suggested values; others are valid too. */
  examples?: readonly string[];
  /** True for values that usually have several lines. */
  isLong?: boolean;
  /** Factor between the unit of the field and the unit of the value. */
  scale?: number;
};

export type Kind = 'choice' | 'switch' | 'number' | 'text' | 'lines' | 'pairs' | 'group' | 'any';

/** The control for a value of a schema; a value without one is edited as JSON. */
export function kindOf(schema: Schema): Kind {
  const { type, properties, items, additionalProperties } = schema;
  if (schema.enum) return 'choice';
  if (type === 'boolean') return 'switch';
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'string') return 'text';
  if (type === 'array' && items?.type === 'string') return 'lines';
  if (type !== 'object') return 'any';
  if (properties) return 'group';
  const isOfStrings =
    typeof additionalProperties === 'object' && additionalProperties.type === 'string';
  return isOfStrings ? 'pairs' : 'any';
}

/** True if plain text is a valid value of a schema. */
export function takesWords({ type, anyOf }: Schema): boolean {
  if (anyOf) return anyOf.some(takesWords);
  return type === undefined || type === 'string';
}
