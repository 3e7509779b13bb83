import {
  capabilitiesSchema,
  errorInfoSchema,
  messageRecordSchema,
  probeSchema,
  requestPolicyRecordSchema,
  sessionRecordSchema,
  taskRecordSchema,
  usageSchema,
} from '@baton/protocol';
import { userRecordSchema } from '@baton/protocol/wire';
import { z } from 'zod';

export type JsonSchema = Record<string, unknown>;

/** Schemas with their own name in the document. */
const names = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries({
  Capabilities: capabilitiesSchema,
  ErrorInfo: errorInfoSchema,
  Message: messageRecordSchema,
  Probe: probeSchema,
  RequestPolicy: requestPolicyRecordSchema,
  Session: sessionRecordSchema,
  Task: taskRecordSchema,
  Usage: usageSchema,
  User: userRecordSchema,
})) {
  names.add(schema, { id });
}

/** Returns the JSON Schema of a request. */
export function schemaOfInput(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
  });
  return rest;
}

/** Returns the JSON Schema of a response; named parts are added to `parts`. */
export function schemaOfResult(schema: z.ZodType, parts: Map<string, JsonSchema>): JsonSchema {
  const {
    $schema: _dialect,
    $defs = {},
    ...rest
  } = z.toJSONSchema(schema, {
    io: 'output',
    unrepresentable: 'any',
    metadata: names as never,
  });
  for (const [name, part] of Object.entries($defs)) parts.set(name, elsewhere(part) as JsonSchema);
  return elsewhere(rest) as JsonSchema;
}

/** The fields of an object, by name. */
export function propertiesOf(schema: JsonSchema): Record<string, JsonSchema> {
  return (schema.properties ?? {}) as Record<string, JsonSchema>;
}

/** The names of the fields that must be there. */
export function requiredOf(schema: JsonSchema): readonly string[] {
  return (schema.required ?? []) as string[];
}

/** Returns the schema of an object without one of its fields; undefined if no other field is left. */
export function without(schema: JsonSchema, field: string): JsonSchema | undefined {
  const { [field]: _gone, ...properties } = propertiesOf(schema);
  if (Object.keys(properties).length === 0) return undefined;
  const required = requiredOf(schema).filter((name) => name !== field);
  return { ...schema, properties, required };
}

/** In the document the named parts are in another place. */
function elsewhere(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(elsewhere);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      name === '$ref' && typeof each === 'string'
        ? each.replace('#/$defs/', '#/components/schemas/')
        : elsewhere(each),
    ]),
  );
}
