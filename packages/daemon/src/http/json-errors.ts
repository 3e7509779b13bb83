import { BatonError } from '@baton/protocol';
import { FeathersError } from '@feathersjs/errors';
import type { Middleware } from '@feathersjs/koa';
import type { Logger } from 'pino';
import { transportError } from '../service/errors.ts';
import { MAX_REQUEST_BYTES } from './max-request.ts';

/** Answers every failure with JSON, and says of our own mistakes only that there was one. */
export function jsonErrors(log: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next();
      if (ctx.body === undefined && ctx.status === 404) {
        const hint = '/docs lists what there is.';
        throw transportError(
          new BatonError('not_found', `There is nothing at ${ctx.path}.`, { hint }),
        );
      }
    } catch (error) {
      const known = knownError(error);
      if (!known) {
        const { requestId } = ctx.feathers as { requestId?: string };
        log.error({ err: error, path: ctx.path, requestId }, 'A request failed.');
      }
      const { name, message, code, data } = known ?? OUR_MISTAKE;
      ctx.status = code;
      ctx.body = { name, code, message, data: data ?? USAGE };
    }
  };
}

type Shown = Pick<FeathersError, 'name' | 'message' | 'code' | 'data'>;

const OUR_MISTAKE: Shown = {
  name: 'GeneralError',
  message: 'Something went wrong in the daemon. Its log says more.',
  code: 500,
  data: { code: 'internal' },
};
const USAGE = { code: 'usage', hint: '/docs says how each method is called.' };
const TOO_LARGE = 413;

function knownError(error: unknown): Shown | undefined {
  if (error instanceof FeathersError) return error;
  const { status, message = '' } = error as { status?: number; message?: string };
  if (status === undefined || status >= 500) return undefined;
  const shown = { name: 'BadRequest', code: status, message, data: USAGE };
  if (status === TOO_LARGE) return { ...shown, ...LARGE };
  // A parser quotes what it cannot read, and that may be a secret.
  return error instanceof SyntaxError ? { ...shown, ...NO_JSON } : shown;
}

const LARGE = {
  message: 'The request is too large.',
  data: { code: 'usage', hint: `${MAX_REQUEST_BYTES / 1024 / 1024} MB is the most.` },
};
const NO_JSON = {
  message: 'The body of the request is not valid JSON.',
  data: { code: 'usage', hint: 'Send one JSON object, with the content type application/json.' },
};
