import type { Middleware } from '@feathersjs/koa';
import { openApiDocument } from '../openapi/document.ts';
import { apiPage } from '../openapi/page.ts';
import type { ServiceDefinition } from '../service/definition.ts';

/** Shows what can be called here, to people and to programs; that is no secret. */
export function docs(services: readonly ServiceDefinition[]): Middleware {
  let page: string | undefined;
  let document: string | undefined;
  return (ctx, next) => {
    if (ctx.path === '/') ctx.redirect('/docs');
    else if (ctx.path === '/docs') {
      page ??= apiPage(services);
      ctx.type = 'html';
      ctx.body = page;
    } else if (ctx.path === '/openapi.json') {
      document ??= JSON.stringify(openApiDocument(services));
      ctx.type = 'json';
      ctx.body = document;
    } else return next();
  };
}
