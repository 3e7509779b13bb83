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

const CLASSES: Partial<Record<ErrorCode, new (message: string, data: object) => FeathersError>> = {
  unauthenticated: NotAuthenticated,
  forbidden: Forbidden,
  backend_unknown: NotFound,
  not_found: NotFound,
  session_not_found: NotFound,
  conflict: Conflict,
  lease_lost: Conflict,
  session_busy: Conflict,
  too_many_requests: TooManyRequests,
  store_unavailable: Unavailable,
  store_damaged: Unavailable,
  internal: GeneralError,
};

/** An error as it travels to a client: with the code and the hint, and never with a stack. */
export function transportError(error: unknown): FeathersError {
  const known = BatonError.is(error)
    ? error
    : (outageOf(error) ??
      new BatonError('internal', 'Internal server error. See the daemon log for details.'));
  const { code, message, hint, retryable } = known;
  const Class = CLASSES[code] ?? BadRequest;
  return new Class(message, { code, hint, retryable });
}

/** The format of all errors that callers receive, for every cause and transport. */
export type ShownError = {
  name: string;
  /** The HTTP status. */
  code: number;
  message: string;
  data: { code: string; hint: string; retryable: boolean };
};

/** True if an error was made for callers, by us or by Feathers itself. */
export function isForCallers(error: unknown): error is FeathersError {
  return typeof error === 'object' && error !== null && 'className' in error;
}

/** Converts an error to the format for callers. */
export function shownError(error: unknown): ShownError {
  const { name, code, message, data } = isForCallers(error) ? error : transportError(error);
  return { name, code, message, data: data ?? (code === 404 ? NOWHERE : USAGE) };
}

/** Error data for requests that Feathers itself rejects, which come without a hint. */
const NOWHERE = { code: 'not_found', hint: 'See /openapi.json for all methods.', retryable: false };
const USAGE = {
  code: 'usage',
  hint: 'See /openapi.json for how to call each method.',
  retryable: false,
};
