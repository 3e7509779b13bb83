import { randomUUID } from 'node:crypto';
import type { Middleware } from '@feathersjs/koa';

const HEADER = 'X-Request-Id';
/** What a caller chooses goes into the log and back: only what can do no harm there. */
const SANE = /^[\w.:-]{1,100}$/;

/** Gives each request an id, its caller's own where it is sane, and tells it in the answer. */
export function requestId(): Middleware {
  return (ctx, next) => {
    const given = ctx.get(HEADER);
    const id = SANE.test(given) ? given : randomUUID();
    ctx.feathers = { ...ctx.feathers, requestId: id } as object;
    ctx.set(HEADER, id);
    return next();
  };
}
