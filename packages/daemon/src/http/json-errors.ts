import { BatonError } from '@baton/protocol';
import type { Middleware } from '@feathersjs/koa';
import type { Logger } from 'pino';
import { isForCallers, shownError, transportError } from '../service/errors.ts';
import { nowherePage } from './nowhere-page.ts';
import { hasBody } from './read-body.ts';
import { unreadBody } from './refused-request.ts';

/** Answers every failure with JSON, but people who find nothing with a page; and says of our own mistakes only that there was one. */
export function jsonErrors(log: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next();
      if (ctx.body === undefined && ctx.status === 404) {
        const hint = '/docs lists what there is.';
        throw transportError(
          new BatonError('not_found', `There is nothing at ${ctx.path}.`, { hint }),
        );
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
      // Browsers name pages before anything else; whoever takes everything is a program.
      const isForPeople = shown.code === 404 && ctx.accepts('json', 'html') === 'html';
      if (isForPeople) ctx.type = 'html';
      ctx.body = isForPeople ? nowherePage(ctx.path) : shown;
    }
    // Nobody will read the rest of a body that was refused.
    if (hasBody(ctx.req) && !ctx.req.complete) ctx.set('Connection', 'close');
  };
}
