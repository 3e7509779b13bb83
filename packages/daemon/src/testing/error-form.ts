import { ERROR_CODES } from '@baton/protocol';
import { RowTable } from '@baton/store';
import { expect, onTestFinished, vi } from 'vitest';

/** Expected status, code and hint of an error. */
export type ExpectedError = {
  status: keyof typeof NAMES;
  code: keyof typeof ERROR_CODES;
  /** A part of the hint, where it depends on the call. */
  hint?: string;
};

const NAMES = {
  400: 'BadRequest',
  401: 'NotAuthenticated',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  408: 'Timeout',
  409: 'Conflict',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  429: 'TooManyRequests',
  431: 'HeadersTooLarge',
  500: 'GeneralError',
};

/** Matches the format of all errors, which have no other fields. */
export function errorForm({ status, code, hint }: ExpectedError): object {
  const sentence = expect.stringMatching(/^\S.*\.$/s);
  return {
    name: NAMES[status],
    code: status,
    message: expect.stringMatching(/^\S/),
    data: {
      code,
      hint: hint === undefined ? sentence : expect.stringContaining(hint),
      retryable: ERROR_CODES[code].retryable,
    },
  };
}

/** Makes the database fail with an internal error until the test is over. */
export function breakStore(): void {
  const broken = vi.spyOn(RowTable.prototype, 'find').mockRejectedValue(new Error('a secret'));
  onTestFinished(() => broken.mockRestore());
}
