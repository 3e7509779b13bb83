import { ERROR_CODES, type ErrorCode } from '@baton/protocol';
import { MAX_BODY_BYTES, sizeInWords } from '../service/body-limits.ts';
import type { ShownError } from '../service/errors.ts';

const JSON_ONLY = 'Send one JSON object, with the content type application/json.';

type Refusal = { name: string; code: ErrorCode; message: string; hint: string };

/** Errors for requests that are rejected before they reach a service, by HTTP status. */
const REFUSALS = {
  400: {
    name: 'BadRequest',
    code: 'usage',
    message: 'Malformed request.',
    hint: 'See /openapi.json for how to call each method.',
  },
  408: {
    name: 'Timeout',
    code: 'timed_out',
    message: 'Request timed out.',
    hint: 'Send it again.',
  },
  413: {
    name: 'PayloadTooLarge',
    code: 'usage',
    message: 'The request is too large.',
    hint: mostIs(MAX_BODY_BYTES),
  },
  415: {
    name: 'UnsupportedMediaType',
    code: 'usage',
    message: 'The request body must be JSON.',
    hint: JSON_ONLY,
  },
  431: {
    name: 'HeadersTooLarge',
    code: 'usage',
    message: 'The headers of the request are too large.',
    hint: 'The limit is 16 KB.',
  },
} as const satisfies Record<number, Refusal>;

export type RefusalStatus = keyof typeof REFUSALS;

/** The body of a request is larger than its method takes. */
export class BodyTooLarge extends Error {
  readonly status = 413;
  readonly limit: number;

  constructor(limit: number) {
    super('The request is too large.');
    this.limit = limit;
  }
}

function mostIs(bytes: number): string {
  return `The limit for this method is ${sizeInWords(bytes)}.`;
}

/** Returns the error for a request that is rejected before it reaches a service. */
export function refused(status: RefusalStatus, words: Partial<Refusal> = {}): ShownError {
  const { name, code, message, hint } = { ...REFUSALS[status], ...words };
  const { retryable } = ERROR_CODES[code];
  return { name, code: status, message, data: { code, hint, retryable } };
}

/** Returns the error for a request body that could not be read; undefined for other errors. */
export function unreadBody(error: unknown): ShownError | undefined {
  // A parser quotes what it cannot read, and that may be a secret.
  if (error instanceof SyntaxError) {
    return refused(400, { message: 'The request body is not valid JSON.', hint: JSON_ONLY });
  }
  const { status, code, limit } = error as { status?: number; code?: unknown; limit?: number };
  if (status === 413) return refused(413, limit === undefined ? {} : { hint: mostIs(limit) });
  if (status === 415) return refused(415);
  if (status !== undefined && status >= 400 && status < 500) return refused(400);
  return String(code).startsWith('Z_') ? refused(400, UNPACKED) : undefined;
}

const UNPACKED = {
  message: 'The request body does not match its Content-Encoding.',
  hint: 'Send it uncompressed.',
};
