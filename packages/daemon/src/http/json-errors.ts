import { BatonError } from '@baton/protocol';
import type { Middleware } from '@feathersjs/koa';
import type { Logger } from 'pino';
import { isForCallers, shownError, transportError } from '../service/errors.ts';
import { notFoundPage } from './not-found-page.ts';
import { hasBody } from './read-body.ts';
import { unreadBody } from './refused-request.ts';

/**
 * Answers every failure with JSON, but people who find nothing with a page; and says of our own mistakes only that there
 * was one.
 */
export function jsonErrors(log: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next();
      if (ctx.body === undefined && ctx.status === 404) {
        const hint = 'See /openapi.json for all methods.';
        throw transportError(new BatonError('not_found', `Not found: ${ctx.path}.`, { hint }));
      }
    } catch (error) {
      const unread = unreadBody(error);
      if (!unread && !isForCallers(error)) {
        const { requestId } = ctx.feathers as { requestId?: string };
        log.error({ err: error, path: ctx.path, requestId }, 'A request failed.');
      }
      const shown = unread ?? shownError(error);
      ctx.status = shown.code;
      ctx.vary('Accept');
      // Browsers prefer HTML; a client that accepts anything is a program.
      const isForPeople = shown.code === 404 && ctx.accepts('json', 'html') === 'html';
      if (isForPeople) ctx.type = 'html';
      ctx.body = isForPeople ? notFoundPage(ctx.path) : shown;
    }
    // The rest of a rejected body will not be read.
    if (hasBody(ctx.req) && !ctx.req.complete) ctx.set('Connection', 'close');
  };
}
