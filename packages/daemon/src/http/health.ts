import type { Store } from '@baton/store';
import type { Middleware } from '@feathersjs/koa';

/** Health and readiness checks, without a login. */
export function health(store: Store): Middleware {
  return async (ctx, next) => {
    if (ctx.path === '/healthz') ctx.body = { status: 'ok' };
    else if (ctx.path === '/readyz') {
      const isReady = await store.records.users.count().then(
        () => true,
        () => false,
      );
      ctx.status = isReady ? 200 : 503;
      ctx.body = { status: isReady ? 'ok' : 'database unreachable' };
    } else return next();
  };
}
