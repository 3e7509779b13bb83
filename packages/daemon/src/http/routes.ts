import type { Middleware } from '@feathersjs/koa';
import { z } from 'zod';
import { idName, type Method, type ServiceDefinition } from '../service/definition.ts';

type Request = { method: string; path: string; get(header: string): string };

/** The method of a service that a request calls. */
export type Route = { service: string; name: string; method: Method };

type Found = { service: string; name: string; id?: string | undefined; isInPath: boolean };

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'remove',
};
/** The methods for which Feathers defines the arguments. */
const USUAL: ReadonlySet<string> = new Set(['find', 'get', ...Object.values(VERBS)]);

/** Finds out which method a request calls, as Feathers does, from its first line and headers alone. */
export class Routes {
  #methods: ReadonlyMap<string, ServiceDefinition['methods']>;

  constructor(services: readonly ServiceDefinition[]) {
    this.#methods = new Map(services.map(({ path, methods }) => [path, methods]));
  }

  /** The method that a request calls; nothing when there is none. */
  find(request: Request): Route | undefined {
    const found = this.#found(request);
    const method = found && this.#method(found.service, found.name);
    return method && { service: found.service, name: found.name, method };
  }

  /** Lets a custom method be called by its path too, as `POST /sessions/<id>/executeTask`. */
  customMethods(): Middleware {
    return (ctx, next) => {
      const found = this.#found(ctx);
      if (!found?.isInPath) return next();
      const { service, name, id } = found;
      ctx.path = `/${service}`;
      ctx.request.headers['x-service-method'] = name;
      const body = (ctx.request as { body?: unknown }).body;
      Object.assign(ctx.request, {
        body: { ...(body as object), ...(id === undefined ? {} : { [idName(service)]: id }) },
      });
      return next();
    };
  }

  /**
   * Lets a custom method be called over a socket with the id first too, as `stopTask(sessionId, { taskId })`. Feathers
   * knows
   * only data and a query there, so the id becomes a part of the data.
   */
  idFirst(packet: unknown[]): void {
    const [name, service, id, ...rest] = packet;
    if (typeof name !== 'string' || typeof service !== 'string' || typeof id !== 'string') return;
    if (USUAL.has(name)) return;
    const data = this.#method(service, name)?.data;
    if (!(data instanceof z.ZodObject) || !(idName(service) in data.shape)) return;
    const answer = typeof rest.at(-1) === 'function' ? [rest.pop()] : [];
    const [fields = {}, ...query] = rest;
    if (typeof fields !== 'object') return;
    packet.splice(2, packet.length, { ...fields, [idName(service)]: id }, ...query, ...answer);
  }

  #found(request: Request): Found | undefined {
    const [service = '', ...rest] = request.path.split('/').filter(Boolean);
    if (!this.#methods.has(service) || rest.length > 2) return undefined;
    const last = rest.at(-1) ?? '';
    if (request.method === 'POST' && this.#method(service, last)) {
      return { service, name: last, id: rest.length === 2 ? rest[0] : undefined, isInPath: true };
    }
    if (rest.length > 1) return undefined;
    const override = request.method === 'POST' ? request.get('X-Service-Method') : '';
    const name = override || VERBS[request.method] || (rest.length === 0 ? 'find' : 'get');
    return { service, name, isInPath: false };
  }

  #method(service: string, name: string): Method | undefined {
    const methods = this.#methods.get(service);
    return methods && Object.hasOwn(methods, name) ? methods[name] : undefined;
  }
}
