import { FeathersError, NotFound } from '@feathersjs/errors';
import type { Middleware } from '@feathersjs/koa';
import type { Logger } from 'pino';

/** Answers every failure with JSON, and says of our own mistakes only that there was one. */
export function jsonErrors(log: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next();
      if (ctx.body === undefined && ctx.status === 404) {
        throw new NotFound(`There is nothing at ${ctx.path}.`);
      }
    } catch (error) {
      const known = knownError(error);
      if (!known) {
        const { requestId } = ctx.feathers as { requestId?: string };
        log.error({ err: error, path: ctx.path, requestId }, 'A request failed.');
      }
      const { name, message, code, data } = known ?? OUR_MISTAKE;
      ctx.status = code;
      ctx.body = { name, code, message, data };
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
const TOO_LARGE = 413;

function knownError(error: unknown): Shown | undefined {
  if (error instanceof FeathersError) return error;
  const { status, message = '' } = error as { status?: number; message?: string };
  if (status === undefined || status >= 500) return undefined;
  const words = status === TOO_LARGE ? 'The request is too large.' : wordsOf(error, message);
  return { name: 'BadRequest', code: status, message: words, data: { code: 'usage' } };
}

/** A parser quotes what it cannot read, and that may be a secret. */
function wordsOf(error: unknown, message: string): string {
  return error instanceof SyntaxError ? 'The body of the request is not valid JSON.' : message;
}
