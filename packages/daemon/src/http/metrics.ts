import type { Middleware } from '@feathersjs/koa';
import type { Authenticator } from '../access/authenticate.ts';
import { isFor } from '../access/principal.ts';
import { refusal } from '../access/refusal.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { transportError } from '../service/errors.ts';
import { tokenOf } from './token.ts';

/** Serves the metrics for Prometheus, which needs a token. */
export function metricsRoute(metrics: Metrics, authenticator: Authenticator): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== '/metrics') return next();
    const principal = await authenticator.whoShows(tokenOf(ctx.req));
    if (!isFor(['viewer'], principal)) throw transportError(refusal(principal));
    ctx.type = metrics.contentType;
    ctx.body = await metrics.text();
  };
}
