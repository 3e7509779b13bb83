import type { IncomingMessage } from 'node:http';
import { bodyParser, type Middleware } from '@feathersjs/koa';
import type { Authenticator } from '../access/authenticate.ts';
import { isFor } from '../access/principal.ts';
import { refusal } from '../access/refusal.ts';
import { MAX_BODY_BYTES } from '../service/body-limits.ts';
import { transportError } from '../service/errors.ts';
import { BodyTooLarge } from './refused-request.ts';
import type { Routes } from './routes.ts';
import { tokenOf } from './token.ts';

/**
 * Reads the body of a request after its sender is authenticated and authorized for the method. A body for no method,
 * from an unauthorized sender, or too large for its method is not read.
 */
export function readBody(routes: Routes, authenticator: Authenticator): Middleware {
  const parsers = new Map<number, Middleware>();
  const parserFor = (limit: number): Middleware => {
    const parser =
      parsers.get(limit) ?? bodyParser({ jsonLimit: limit, urlencoded: false, text: false });
    parsers.set(limit, parser);
    return parser;
  };
  return async (ctx, next) => {
    if (!hasBody(ctx.req)) return parserFor(MAX_BODY_BYTES)(ctx, next);
    const route = routes.find(ctx);
    // An unknown path is handled by the next middleware, without reading the body.
    if (!route) return next();
    const { allow, maxBytes = MAX_BODY_BYTES } = route.method;
    const principal = await authenticator.whoShows(tokenOf(ctx.req));
    if (!isFor(allow, principal)) throw transportError(refusal(principal));
    if ((ctx.request.length ?? 0) > maxBytes) throw new BodyTooLarge(maxBytes);
    return parserFor(maxBytes)(ctx, next);
  };
}

/** True if the headers of a request announce a body. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return 'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > 0;
}
