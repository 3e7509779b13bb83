import { MethodNotAllowed } from '@feathersjs/errors';
import type { Middleware } from '@feathersjs/koa';

const PAGES: ReadonlySet<string> = new Set(['/', '/openapi.json', '/metrics']);

/** Says of what can only be read that nothing else can be done with it, rather than that it is not there. */
export function onlyRead(): Middleware {
  return (ctx, next) => {
    if (!PAGES.has(ctx.path) || ctx.method === 'GET' || ctx.method === 'HEAD') return next();
    ctx.set('Allow', 'GET, HEAD');
    throw new MethodNotAllowed(`${ctx.path} is read-only.`);
  };
}
