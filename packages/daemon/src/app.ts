import { feathers } from '@feathersjs/feathers';
import { type Application, bodyParser, koa, rest } from '@feathersjs/koa';
import socketio from '@feathersjs/socketio';
import type { Server, Socket } from 'socket.io';
import { Authenticator } from './access/authenticate.ts';
import { isFor } from './access/principal.ts';
import type { DaemonContext } from './context.ts';
import { docs } from './http/docs.ts';
import { dropWhenSlow } from './http/drop-slow.ts';
import { health } from './http/health.ts';
import { jsonErrors } from './http/json-errors.ts';
import { MAX_REQUEST_BYTES } from './http/max-request.ts';
import { methodRoutes } from './http/method-routes.ts';
import { metricsRoute } from './http/metrics.ts';
import { onlyJson } from './http/only-json.ts';
import { onlyRead } from './http/only-read.ts';
import { checkOrigin, type Doors, refusal } from './http/origin.ts';
import { page } from './http/page/page.ts';
import { requestId } from './http/request-id.ts';
import { securityHeaders } from './http/security-headers.ts';
import { answerErrors } from './http/socket-errors.ts';
import { tokenOf } from './http/token.ts';
import type { Metrics } from './metrics/metrics.ts';
import { SeedView } from './seed-view/seed-view.ts';
import { type Subscribe, seedSubscriptions } from './seed-view/subscriptions.ts';
import { buildService } from './service/build-service.ts';
import { logCall } from './service/call-report.ts';
import type { ServiceDefinition } from './service/definition.ts';
import { allServices } from './services/all-services.ts';
import { seesSession } from './services/existing.ts';

export type AppOptions = {
  /** Under which addresses it is known. */
  doors: Doors;
  metrics: Metrics;
  /** Where the built page is. */
  pageFolder?: string | undefined;
};

/** Puts the services of a daemon behind HTTP and WebSockets. */
export function createApp(
  context: Omit<DaemonContext, 'subscribe'>,
  { doors, metrics, pageFolder }: AppOptions,
): Application {
  const app: Application = koa(feathers());
  const view = new SeedView(context.store, context.feed, {
    tell({ service, name, data }) {
      app.service(service).emit(name, data);
    },
    onFailure(sessionId, error) {
      context.log.error({ err: error, sessionId }, 'The service events of a session ended.');
    },
  });
  let subscribe: Subscribe = async () => {};
  const services = allServices({ ...context, subscribe: (...args) => subscribe(...args) });
  const authenticator = new Authenticator(context.store, context.taskTokens);

  app.use(securityHeaders());
  app.use(requestId());
  app.use(jsonErrors(context.log));
  app.use(checkOrigin(doors));
  app.use(health(context.store));
  app.use(onlyRead());
  app.use(page(pageFolder));
  app.use(docs(services));
  app.use(metricsRoute(metrics, authenticator));
  app.use(onlyJson());
  app.use(bodyParser({ jsonLimit: MAX_REQUEST_BYTES, urlencoded: false, text: false }));
  app.use((ctx, next) => {
    ctx.feathers = { ...ctx.feathers, token: tokenOf(ctx.req), address: ctx.ip } as object;
    return next();
  });
  app.use(methodRoutes(services));
  app.configure(rest());
  app.configure(
    socketio(
      {
        maxHttpBufferSize: MAX_REQUEST_BYTES,
        serveClient: false,
        // A connection that is dead without a word must be noticed while there is time to make another.
        pingInterval: context.leaseMs / 3,
        pingTimeout: context.leaseMs / 3,
        allowRequest: (request, decide) => decide(null, refusal(request, doors) === undefined),
      },
      (io) => acceptSockets(io, { names: socketNames(services), log: context.log }),
    ),
  );
  for (const definition of services) {
    const service = buildService(definition, {
      whoShows: (token) => authenticator.whoShows(token),
      onCall(report) {
        logCall(context.log, report);
        metrics.call(report);
      },
    });
    app.use(definition.path, service as never, {
      methods: Object.keys(definition.methods) as never,
      events: [...(definition.events ?? [])],
      // Only what a service says it sends: the events that Feathers adds would go to everybody.
      serviceEvents: [...(definition.events ?? [])],
    });
  }
  subscribe = seedSubscriptions(app, view, {
    everyMs: context.leaseMs / 6,
    isOver: () => context.feed.isClosed,
    async maySee(connection, sessionId) {
      const { token } = connection as { token?: string };
      const principal = await authenticator.whoShows(token);
      const isKnown = isFor(['viewer', 'executor'], principal);
      return isKnown && seesSession(context.store, sessionId, principal);
    },
  });
  return app;
}

/** Every word that a connection understands. */
function socketNames(services: readonly ServiceDefinition[]): ReadonlySet<string> {
  return new Set([RENEW, ...services.flatMap(({ methods }) => Object.keys(methods))]);
}

/** The token of an executor is renewed while its connection lasts. */
const RENEW = 'token';

type FeathersSocket = Socket & { feathers?: Record<string, unknown> };

function acceptSockets(
  io: Server,
  calls: { names: ReadonlySet<string>; log: DaemonContext['log'] },
): void {
  io.use((socket: FeathersSocket, next) => {
    const { token } = socket.handshake.auth as { token?: unknown };
    Object.assign(socket.feathers ?? {}, {
      token: typeof token === 'string' ? token : tokenOf(socket.request),
      address: socket.handshake.address,
    });
    next();
  });
  io.on('connection', (socket: FeathersSocket) => {
    dropWhenSlow(socket.conn);
    answerErrors(socket, calls);
    socket.on(RENEW, (token: unknown) => {
      if (typeof token === 'string') Object.assign(socket.feathers ?? {}, { token });
    });
  });
}
