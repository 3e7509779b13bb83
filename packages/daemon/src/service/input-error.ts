import { BatonError } from '@baton/protocol';
import type { z } from 'zod';
import { fieldsOf, typeOf } from '../schema/field.ts';
import { type JsonSchema, schemaOfInput } from '../schema/json-schema.ts';

const MOST_ISSUES = 5;

/** Returns an error that lists the problems of a call's input and the expected fields. */
export function inputError(what: string, schema: z.ZodType, { issues }: z.ZodError): BatonError {
  const message = issues
    .slice(0, MOST_ISSUES)
    .map((issue) => inWords([what, ...issue.path].join('.'), issue))
    .join('; ');
  return new BatonError('usage', message, { hint: expectation(what, schemaOfInput(schema)) });
}

function inWords(place: string, issue: z.core.$ZodIssue): string {
  if (issue.code !== 'unrecognized_keys') return `${place}: ${issue.message}`;
  const names = issue.keys.map((key) => `"${key}"`).join(', ');
  return `${place}: unknown field ${names}`;
}

/** In the terms of the documentation. */
function expectation(what: string, schema: JsonSchema): string {
  const fields = fieldsOf(schema).map(
    ({ name, type, isRequired }) => `${name}${isRequired ? '' : '?'} ${type}`,
  );
  if (fields.length > 0) return `${what} takes: ${fields.join('; ')}.`;
  return schema.type === 'object'
    ? `${what} takes no parameters.`
    : `${what} is: ${typeOf(schema)}.`;
}
