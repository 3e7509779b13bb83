import type { Middleware } from '@feathersjs/koa';
import { openApiDocument } from '../openapi/document.ts';
import type { ServiceDefinition } from '../service/definition.ts';

/** Serves the description of all services to everyone; without a page, `/` leads to it. */
export function openApiRoute(services: readonly ServiceDefinition[]): Middleware {
  let document: string | undefined;
  return (ctx, next) => {
    if (ctx.path === '/') ctx.redirect('/openapi.json');
    else if (ctx.path === '/openapi.json') {
      document ??= JSON.stringify(openApiDocument(services));
      ctx.type = 'json';
      ctx.body = document;
    } else return next();
  };
}
