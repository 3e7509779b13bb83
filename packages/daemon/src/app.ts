import { Readable } from 'node:stream';
import { feathers } from '@feathersjs/feathers';
import { type Application, koa, type Middleware, rest } from '@feathersjs/koa';
import socketio from '@feathersjs/socketio';
import { Authenticator } from './access/authenticate.ts';
import { existingSession, seesSession } from './access/existing.ts';
import { inBatonNames } from './compat/other-names.ts';
import type { SeedEvent } from './compat/seed-events.ts';
import { SeedView } from './compat/seed-view.ts';
import { watchSessions } from './compat/session-watch.ts';
import { Subscriptions } from './compat/subscriptions.ts';
import type { SharedContext } from './context.ts';
import { clientAddressOf } from './http/client-address.ts';
import { conversationStream } from './http/conversation-stream.ts';
import { health } from './http/health.ts';
import { jsonErrors } from './http/json-errors.ts';
import { metricsRoute } from './http/metrics.ts';
import { onlyJson } from './http/only-json.ts';
import { onlyRead } from './http/only-read.ts';
import { openApiRoute } from './http/openapi-route.ts';
import { checkOrigin, type Doors, refusal } from './http/origin.ts';
import { page } from './http/page/page.ts';
import { readBody } from './http/read-body.ts';
import { requestId } from './http/request-id.ts';
import { Routes } from './http/routes.ts';
import { securityHeaders } from './http/security-headers.ts';
import { Sockets } from './http/sockets.ts';
import { tokenOf } from './http/token.ts';
import type { Metrics } from './metrics/metrics.ts';
import { MAX_LOGIN_BYTES } from './service/body-limits.ts';
import { buildService } from './service/build-service.ts';
import { logCall } from './service/call-report.ts';
import { allServices } from './services/all-services.ts';

type AppOptions = {
  /** The addresses of the daemon. */
  doors: Doors;
  metrics: Metrics;
  /** Proxies that are trusted to report the address of a client. */
  trustProxy: readonly string[];
  /** Folder of the built page. */
  pageFolder?: string | undefined;
};

/** Serves the services of a daemon over HTTP and WebSockets. */
export function createApp(
  context: SharedContext,
  { doors, metrics, trustProxy, pageFolder }: AppOptions,
): Application {
  const app: Application = koa(feathers());
  const { store, log } = context;
  const telling = {
    tell({ service, name, data }: SeedEvent) {
      app.service(service).emit(name, data);
    },
    onFailure(sessionId: string, error: unknown) {
      log.error({ err: error, sessionId }, 'The service events of a session failed.');
    },
  };
  const view = new SeedView(store, context.feed, telling);
  let subscriptions: Subscriptions | undefined;
  const authenticator = new Authenticator(store, context.taskTokens);
  const services = allServices({
    ...context,
    authenticator,
    subscribe: async (...args) => subscriptions?.subscribe(...args),
    async showToken(connection, token) {
      await sockets.showToken(connection, token);
      await subscriptions?.hear(connection);
    },
  });
  const routes = new Routes(services);
  const addressOf = clientAddressOf(trustProxy);
  const sockets = new Sockets({ services, routes, log, authenticator, addressOf });

  // Koa would print what goes wrong once an answer has begun; most often its reader has gone.
  app.on('error', (error: NodeJS.ErrnoException) => {
    const isGone = error.code === 'ERR_STREAM_PREMATURE_CLOSE' || error.code === 'ECONNRESET';
    log[isGone ? 'info' : 'error']({ err: error }, 'Could not send a response.');
  });
  app.use(securityHeaders());
  app.use(requestId());
  app.use(jsonErrors(log));
  app.use(checkOrigin(doors));
  app.use(health(store, context.daemonId));
  app.use(onlyRead());
  app.use(page(pageFolder));
  app.use(openApiRoute(services));
  app.use(metricsRoute(metrics, authenticator));
  app.use(
    conversationStream({
      authenticator,
      feed: context.feed,
      async checkSession(sessionId, principal) {
        await existingSession(store, sessionId, principal);
      },
    }),
  );
  app.use(onlyJson());
  app.use(readBody(routes, authenticator));
  app.use((ctx, next) => {
    ctx.feathers = {
      ...ctx.feathers,
      token: tokenOf(ctx.req),
      address: addressOf(ctx.req),
    } as object;
    return next();
  });
  app.use(routes.customMethods());
  app.configure(rest(asJson));
  app.configure(
    socketio(
      {
        // Of unauthenticated clients; the limit of others is set when they show their token.
        maxHttpBufferSize: MAX_LOGIN_BYTES,
        serveClient: false,
        ...pingTimes(context.leaseMs),
        allowRequest: (request, decide) => decide(null, refusal(request, doors) === undefined),
      },
      (io) => sockets.accept(io),
    ),
  );
  for (const definition of services) {
    const service = buildService(definition, {
      named: inBatonNames,
      whoShows: (token) => authenticator.whoShows(token),
      onAsked: async (...asked) => subscriptions?.asked(...asked),
      onCall(report) {
        logCall(log, report);
        metrics.call(report);
      },
    });
    app.use(definition.path, service as never, {
      methods: Object.keys(definition.methods) as never,
      events: [...(definition.events ?? [])],
      // Only the declared events of a service: those that Feathers adds would be sent to everyone.
      serviceEvents: [...(definition.events ?? [])],
    });
  }
  forgetInherited(app.routes.root);
  subscriptions = new Subscriptions(app, view, {
    everyMs: context.leaseMs / 6,
    isOver: () => context.feed.isClosed,
    principalOf: (connection) => authenticator.whoShows((connection as { token?: string }).token),
    seesSession: (principal, sessionId) => seesSession(store, sessionId, principal),
  });
  const isWanted = (id: string) => subscriptions?.hasUsers === true && !view.isFollowed(id);
  watchSessions(store, { ...telling, isWanted });
  return app;
}

/** Sends streamed responses as JSON, like all others. */
const asJson: Middleware = (ctx) => {
  if (ctx.body instanceof Readable) ctx.type = 'json';
};

type RouteNode = { children: Record<string, RouteNode>; placeholders: RouteNode[] };

/** Removes the prototype: Feathers would match inherited names, such as `constructor`, as parts of a path. */
function forgetInherited(node: RouteNode): void {
  Object.setPrototypeOf(node.children, null);
  for (const child of [...Object.values(node.children), ...node.placeholders]) {
    forgetInherited(child);
  }
}

/**
 * Times of the connections' own heartbeat. A connection that is dead without a word must be noticed within half of a
 * lease: it may take several seconds to make another.
 */
function pingTimes(leaseMs: number): { pingInterval: number; pingTimeout: number } {
  // A busy process may take a second to answer.
  const pingTimeout = Math.min(leaseMs / 3, Math.max(leaseMs / 4, 1000));
  return { pingInterval: leaseMs / 6, pingTimeout };
}
