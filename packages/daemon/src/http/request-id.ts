import { randomUUID } from 'node:crypto';
import type { Middleware } from '@feathersjs/koa';

const HEADER = 'X-Request-Id';
/** Request ids accepted from callers: they are logged and returned, so only harmless characters are allowed. */
const SANE = /^[\w.:-]{1,100}$/;

/** Assigns each request an id, the caller's own if it is valid, and returns it in the response. */
export function requestId(): Middleware {
  return (ctx, next) => {
    const given = ctx.get(HEADER);
    const id = SANE.test(given) ? given : randomUUID();
    ctx.feathers = { ...ctx.feathers, requestId: id } as object;
    ctx.set(HEADER, id);
    return next();
  };
}
