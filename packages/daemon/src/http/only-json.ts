import type { Middleware } from '@feathersjs/koa';
import { refused } from './refused-request.ts';

const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** Refuses bodies that are not said to be JSON: a form is what another site could let a browser send unasked. */
export function onlyJson(): Middleware {
  return async (ctx, next) => {
    const isEmpty = ctx.request.length === 0 || ctx.is('json') === null;
    if (isEmpty || ctx.is('json') || !WITH_BODY.has(ctx.method)) return next();
    const shown = refused(415);
    ctx.status = shown.code;
    ctx.body = shown;
  };
}
