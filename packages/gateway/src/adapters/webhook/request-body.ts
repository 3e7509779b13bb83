import { z } from 'zod';
import { HttpError } from './http-error.ts';

const MAX_FILE_BYTES = 5 * 1024 * 1024;
const MAX_WAIT_SECONDS = 60;
const MAX_ID_LENGTH = 200;
const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  array: 'a list',
  object: 'an object',
};

/** Ids become part of keys in a database, which takes neither control characters nor half characters. */
const idSchema = z
  .string()
  .min(1)
  .max(MAX_ID_LENGTH)
  .refine(
    (text) => text.isWellFormed() && !/\p{Cc}/u.test(text),
    'must not have control characters',
  );

const fileSchema = z.strictObject({
  name: z.string().min(1).max(255),
  mediaType: z.string().regex(/^[\w.+-]{1,100}\/[\w.+-]{1,100}$/, 'must be a media type'),
  data: z.string().refine(isBase64, 'must be Base64 with padding'),
});

export const messageSchema = z.strictObject({
  channel: idSchema,
  user: idSchema,
  text: z.string(),
  /** The idempotency key. */
  id: idSchema.optional(),
  /** Maximum number of seconds to wait for the answer. */
  wait: z.number().min(0).max(MAX_WAIT_SECONDS).default(0),
  files: z
    .array(fileSchema)
    .max(100)
    .refine(
      (files) => files.reduce((sum, { data }) => sum + bytesOf(data), 0) <= MAX_FILE_BYTES,
      'must not have more than 5 MB together',
    )
    .default([]),
});

export const pressSchema = z.strictObject({
  channel: idSchema,
  user: idSchema,
  message: z.string().min(1).max(MAX_ID_LENGTH),
  value: z.string().max(10_000),
});

/** Reads the body of a request, which is verified already; throws an `HttpError` that names the invalid field. */
export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  bytes: Uint8Array,
): z.output<Schema> {
  const { data, error } = schema.safeParse(jsonOf(bytes));
  if (error === undefined) return data as z.output<Schema>;
  const [issue] = error.issues;
  throw new HttpError(400, issue ? inWords(issue) : 'The body is invalid.');
}

export function bytesOf(base64: string): number {
  return Buffer.byteLength(base64, 'base64');
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new HttpError(400, 'The body is not valid JSON in UTF-8.');
  }
}

function inWords(issue: z.core.$ZodIssue): string {
  const name = nameOf(issue.path);
  switch (issue.code) {
    case 'unrecognized_keys':
      return `Unknown field "${issue.keys[0]}" in ${name}.`;
    case 'invalid_type':
      return `${name} must be ${TYPES[issue.expected] ?? issue.expected}.`;
    case 'too_small':
      if (issue.origin === 'string') return `${name} must not be empty.`;
      return `${name} must be at least ${issue.minimum}.`;
    case 'too_big':
      if (issue.origin === 'string') return `${name} is longer than ${issue.maximum} characters.`;
      return `${name} must be at most ${issue.maximum}.`;
    default:
      return `${name} ${issue.message}.`;
  }
}

/** Such as `files[0].name`. */
function nameOf(path: readonly PropertyKey[]): string {
  const parts = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`));
  return parts.join('').replace(/^\./, '') || 'the body';
}

function isBase64(text: string): boolean {
  return Buffer.from(text, 'base64').toString('base64') === text;
}
