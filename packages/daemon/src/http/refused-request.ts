import { ERROR_CODES, type ErrorCode } from '@baton/protocol';
import { MAX_BODY_BYTES, sizeInWords } from '../service/body-limits.ts';
import type { ShownError } from '../service/errors.ts';

const JSON_ONLY = 'Send one JSON object, with the content type application/json.';

type Refusal = { name: string; code: ErrorCode; message: string; hint: string };

/** Why a request is refused before anybody looks at what is asked, by its HTTP status. */
const REFUSALS = {
  400: {
    name: 'BadRequest',
    code: 'usage',
    message: 'The request cannot be understood.',
    hint: '/docs says how each method is called.',
  },
  408: {
    name: 'Timeout',
    code: 'timed_out',
    message: 'The request did not arrive whole in time.',
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
    message: 'The body of the request is not plain JSON, or is not said to be.',
    hint: JSON_ONLY,
  },
  431: {
    name: 'HeadersTooLarge',
    code: 'usage',
    message: 'The headers of the request are too large.',
    hint: '16 KB is the most.',
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
  return `This method takes ${sizeInWords(bytes)} at most.`;
}

/** Says why a request is refused before anybody looks at what is asked. */
export function refused(status: RefusalStatus, words: Partial<Refusal> = {}): ShownError {
  const { name, code, message, hint } = { ...REFUSALS[status], ...words };
  const { retryable } = ERROR_CODES[code];
  return { name, code: status, message, data: { code, hint, retryable } };
}

/** Says why the body of a request could not be read; nothing when that is not what went wrong. */
export function unreadBody(error: unknown): ShownError | undefined {
  // A parser quotes what it cannot read, and that may be a secret.
  if (error instanceof SyntaxError) {
    return refused(400, { message: 'The body of the request is not valid JSON.', hint: JSON_ONLY });
  }
  const { status, code, limit } = error as { status?: number; code?: unknown; limit?: number };
  if (status === 413) return refused(413, limit === undefined ? {} : { hint: mostIs(limit) });
  if (status === 415) return refused(415);
  if (status !== undefined && status >= 400 && status < 500) return refused(400);
  return String(code).startsWith('Z_') ? refused(400, UNPACKED) : undefined;
}

const UNPACKED = {
  message: 'The body of the request is not packed as its content encoding says.',
  hint: 'Send it as it is.',
};
