import type { IncomingMessage } from 'node:http';
import type { Middleware } from '@feathersjs/koa';

/** Whether a request comes from our own page, from an allowed one, or from no page at all; browsers say so. */
export function isFromHere(
  { headers }: Pick<IncomingMessage, 'headers'>,
  allowed: readonly string[],
): boolean {
  const { origin, host } = headers;
  if (origin === undefined) return true;
  if (allowed.includes(origin)) return true;
  return host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
}

/** Refuses requests that another site lets a browser make. */
export function checkOrigin(allowed: readonly string[]): Middleware {
  return async (ctx, next) => {
    if (isFromHere(ctx.req, allowed)) return next();
    ctx.status = 403;
    ctx.body = { name: 'Forbidden', code: 403, message: 'Requests from other sites are refused.' };
  };
}
