import { outageOf, type Store } from '@baton/store';
import type { Middleware } from '@feathersjs/koa';

/** Lifetime of an answer: a load balancer that asks often must not cause a write each time. */
const FRESH_MS = 2000;

/** Health and readiness checks, without a login. Ready is a daemon that can write to its database. */
export function health(store: Store, daemonId: string): Middleware {
  let checking: { at: number; problem: Promise<string | undefined> } | undefined;
  const problem = (): Promise<string | undefined> => {
    const now = performance.now();
    if (!checking || now - checking.at > FRESH_MS) {
      checking = { at: now, problem: writeProblem(store, daemonId) };
    }
    return checking.problem;
  };
  return async (ctx, next) => {
    if (ctx.path === '/healthz') ctx.body = { status: 'ok' };
    else if (ctx.path === '/readyz') {
      const status = await problem();
      ctx.status = status === undefined ? 200 : 503;
      ctx.body = { status: status ?? 'ok' };
    } else return next();
  };
}

/** Returns why the database cannot be written, or undefined if it can. */
async function writeProblem(
  { records, now }: Store,
  daemonId: string,
): Promise<string | undefined> {
  try {
    await records.daemons.update({ daemon_id: daemonId }, { heartbeat_at: now() });
    return undefined;
  } catch (error) {
    return outageOf(error)?.message ?? 'The database is currently unavailable.';
  }
}
