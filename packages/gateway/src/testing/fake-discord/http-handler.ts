import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { ApiError, notFound, unauthorized } from './api-error.ts';
import { Faults } from './faults.ts';
import { infoRoutes } from './info-routes.ts';
import { interactionRoutes } from './interaction-routes.ts';
import { messageRoutes } from './message-routes.ts';
import type { UploadedFile } from './message-rules.ts';
import { RateLimits } from './rate-limits.ts';
import type { Route, Service } from './route.ts';

const ROUTES: readonly Route[] = [...messageRoutes, ...interactionRoutes, ...infoRoutes];
const API = /^\/api\/v10(\/.*)$/;
const ATTACHMENT = /^\/attachments\/\d+\/(\d+)\//;

export type LoggedRequest = {
  method: string;
  /** Without `/api/v10`. */
  path: string;
  body: unknown;
  /** The status of the response; 0 if the connection was reset. */
  status: number;
};

type Answer = { status: number; body?: unknown; headers?: Record<string, string> };
type Content = { body: unknown; files: UploadedFile[] };

/** The REST side. */
export class HttpHandler {
  readonly limits = new RateLimits();
  readonly faults = new Faults();
  readonly requests: LoggedRequest[] = [];
  /** On during an outage: connections are reset. */
  isDown = false;
  /** Told about each request after it took effect and before the response is sent. */
  onRequest: ((request: LoggedRequest) => void) | undefined;
  #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.isDown) {
      request.socket.destroy();
      return;
    }
    const { method = 'GET' } = request;
    const url = new URL(request.url ?? '/', 'http://localhost');
    const attachmentId = ATTACHMENT.exec(url.pathname)?.[1];
    if (attachmentId !== undefined) {
      this.#sendAttachment(attachmentId, response);
      return;
    }
    const path = API.exec(url.pathname)?.[1] ?? '';
    const content = await readContent(request);
    const logged: LoggedRequest = { method, path, body: content.body, status: 0 };
    this.requests.push(logged);
    const fault = this.faults.take(method, path);
    const work = () => this.#answer(request, { method, path, query: url.searchParams, content });
    const answer: Answer = fault && !fault.takesEffect ? { status: 0 } : work();
    this.onRequest?.({ ...logged, status: answer.status });
    if (fault?.status === 'reset') {
      request.socket.destroy();
      return;
    }
    if (fault) answer.body = undefined;
    logged.status = fault?.status ?? answer.status;
    send(response, { ...answer, status: logged.status });
  }

  #answer(
    request: IncomingMessage,
    {
      method,
      path,
      query,
      content,
    }: {
      method: string;
      path: string;
      query: URLSearchParams;
      content: Content;
    },
  ): Answer {
    const route = ROUTES.find((each) => each.method === method && each.path.test(path));
    let headers: Record<string, string> = {};
    try {
      if (!route) throw notFound();
      if (!route.isPublic) this.#authorize(request);
      const [, ...params] = route.path.exec(path) ?? [];
      const limited = this.#rateLimit(route, params);
      if (limited.answer) return limited.answer;
      headers = limited.headers;
      const body = route.handle(this.#service, { params, query, ...content });
      return { status: body === undefined ? 204 : 200, body, headers };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { status: error.status, body: error.body, headers };
    }
  }

  #authorize({ headers: { authorization } }: IncomingMessage): void {
    if (authorization !== `Bot ${this.#service.settings.token}`) throw unauthorized();
  }

  #rateLimit(
    route: Route,
    params: readonly string[],
  ): { answer?: Answer; headers: Record<string, string> } {
    const { settings } = this.#service;
    if (!route.isPublic) {
      const verdict = this.limits.take({ name: 'global', majorId: '', ...settings.globalLimit });
      if (!verdict.allowed) {
        const headers = {
          'Retry-After': verdict.headers['Retry-After'] ?? '1',
          'X-RateLimit-Global': 'true',
          'X-RateLimit-Scope': 'global',
        };
        return { answer: rateLimited(headers, verdict.retryAfter, true), headers };
      }
    }
    const bucket = route.bucket?.(settings, params);
    if (!bucket) return { headers: {} };
    const { allowed, headers, retryAfter } = this.limits.take(bucket);
    return allowed ? { headers } : { answer: rateLimited(headers, retryAfter, false), headers };
  }

  #sendAttachment(id: string, response: ServerResponse): void {
    const attachment = this.#service.world.attachments.get(id);
    if (!attachment) {
      response.writeHead(404).end('This content is no longer available.');
      return;
    }
    response.writeHead(200, { 'Content-Type': attachment.mediaType }).end(attachment.content);
  }
}

function rateLimited(
  headers: Record<string, string>,
  retryAfter: number,
  isGlobal: boolean,
): Answer {
  const body = {
    message: 'You are being rate limited.',
    retry_after: retryAfter,
    global: isGlobal,
  };
  return { status: 429, body, headers };
}

function send(response: ServerResponse, { status, body, headers = {} }: Answer): void {
  if (body === undefined) {
    response.writeHead(status, headers).end();
    return;
  }
  response
    .writeHead(status, { ...headers, 'Content-Type': 'application/json' })
    .end(JSON.stringify(body));
}

/** The JSON and the files of a request, which has several parts if there are files. */
async function readContent(request: IncomingMessage): Promise<Content> {
  const type = request.headers['content-type'] ?? '';
  const bytes = await buffer(request);
  if (!type.startsWith('multipart/form-data')) {
    return { body: bytes.length > 0 ? JSON.parse(String(bytes)) : undefined, files: [] };
  }
  const form = await new Response(new Uint8Array(bytes), {
    headers: { 'content-type': type },
  }).formData();
  const files: UploadedFile[] = [];
  let body: unknown = {};
  for (const [name, part] of form) {
    if (typeof part !== 'string') {
      const content = new Uint8Array(await part.arrayBuffer());
      files.push({ name: part.name, mediaType: part.type, content });
    } else if (name === 'payload_json') {
      body = JSON.parse(part);
    }
  }
  return { body, files };
}
