import type { Middleware } from '@feathersjs/koa';
import type { ServiceDefinition } from '../service/definition.ts';

/** Lets a custom method be called by its path too, as `POST /sessions/<id>/executeTask`. */
export function methodRoutes(services: readonly ServiceDefinition[]): Middleware {
  const methods = new Map(services.map(({ path, methods }) => [path, methods]));
  return (ctx, next) => {
    const [, service = '', ...rest] = ctx.path.split('/');
    const name = rest.at(-1) ?? '';
    const isCustom = ctx.method === 'POST' && methods.get(service)?.[name] !== undefined;
    if (!isCustom || rest.length > 2) return next();
    ctx.path = `/${service}`;
    ctx.request.headers['x-service-method'] = name;
    const [id] = rest.length === 2 ? rest : [];
    const body = (ctx.request as { body?: unknown }).body;
    Object.assign(ctx.request, {
      body: { ...(body as object), ...(id === undefined ? {} : { [idName(service)]: id }) },
    });
    return next();
  };
}

/** What the id in the path of a custom method is called in its data: `session_id` for `sessions`. */
export function idName(service: string): string {
  return `${service.replace(/s$/, '')}_id`;
}
