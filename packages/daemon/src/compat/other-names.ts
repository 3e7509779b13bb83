import { z } from 'zod';

/** The names of the executor contract (`taskId`, `permissionMode`), of Feathers (`$limit`, `$skip`) and of version 0.1. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['$limit', 'limit'],
  ['$skip', 'skip'],
  ['taskId', 'task_id'],
  ['permissionMode', 'permission_mode'],
  ['afterMs', 'after_ms'],
]);

/** Renames the fields of an input that a caller named in another way than its schema does. */
export function inBatonNames(schema: unknown, value: unknown): unknown {
  const object = unwrapped(schema);
  if (!(object instanceof z.ZodObject) || !isRecord(value)) return value;
  const { shape } = object;
  const nameOf = (given: string) => {
    const name = OTHER_NAMES.get(given);
    const isKnown = name !== undefined && Object.hasOwn(shape, name);
    // With both names given, the schema refuses the other one.
    return isKnown && !Object.hasOwn(value, name) ? name : given;
  };
  return Object.fromEntries(
    Object.entries(value).map(([given, each]) => {
      const name = nameOf(given);
      return [name, Object.hasOwn(shape, name) ? inBatonNames(shape[name], each) : each];
    }),
  );
}

function unwrapped(schema: unknown): unknown {
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault;
  return isWrapper ? unwrapped(schema.unwrap()) : schema;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
