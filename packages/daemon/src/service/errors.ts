import { BatonError, type ErrorCode } from '@baton/protocol';
import { outageOf } from '@baton/store';
import {
  BadRequest,
  Conflict,
  type FeathersError,
  Forbidden,
  GeneralError,
  NotAuthenticated,
  NotFound,
  TooManyRequests,
  Unavailable,
} from '@feathersjs/errors';
import type { ZodError } from 'zod';

const CLASSES: Partial<Record<ErrorCode, new (message: string, data: object) => FeathersError>> = {
  unauthenticated: NotAuthenticated,
  forbidden: Forbidden,
  not_found: NotFound,
  session_not_found: NotFound,
  conflict: Conflict,
  lease_lost: Conflict,
  session_busy: Conflict,
  too_many_requests: TooManyRequests,
  store_unavailable: Unavailable,
  internal: GeneralError,
};

/** An error as it travels to a client: with the code and the hint, and never with a stack. */
export function transportError(error: unknown): FeathersError {
  const known = BatonError.is(error)
    ? error
    : (outageOf(error) ??
      new BatonError('internal', 'Something went wrong in the daemon. Its log says more.'));
  const { code, message, hint, retryable } = known;
  const Class = CLASSES[code] ?? BadRequest;
  return new Class(message, { code, hint, retryable });
}

/** What is wrong with the input of a call, in one sentence. */
export function inputError(what: string, error: ZodError): BatonError {
  const issues = error.issues.map(
    ({ path, message }) => `${[what, ...path].join('.')}: ${message}`,
  );
  return new BatonError('usage', issues.slice(0, 5).join('; '));
}
