import type { Application } from '@feathersjs/koa';
import type { Connection } from '../service/definition.ts';
import type { SeedView } from './seed-view.ts';

/** Lets a connection hear the service events of a session, until it is gone. */
export type Subscribe = (sessionId: string, connection: Connection) => Promise<void>;

const VIEWED = ['sessions', 'tasks', 'messages'];

export type SubscriptionOptions = {
  /** Whether a connection may still hear of a session: its token may have been revoked. */
  maySee(connection: Connection, sessionId: string): Promise<boolean>;
  /** How often that is asked. */
  everyMs: number;
  /** Whether nothing more will come. */
  isOver(): boolean;
};

/** Sends service events to those who asked for them and may hear them, and to nobody else. */
export function seedSubscriptions(
  app: Application,
  view: SeedView,
  { maySee, everyMs, isOver }: SubscriptionOptions,
): Subscribe {
  const stops = new Map<Connection, Map<string, () => void>>();
  for (const path of VIEWED) {
    app.service(path).publish((data: { session_id?: string }) => channelOf(app, data.session_id));
  }
  const gone = new WeakSet<Connection>();
  app.on('disconnect', (connection: Connection) => {
    gone.add(connection);
    for (const stop of stops.get(connection)?.values() ?? []) stop();
    stops.delete(connection);
  });
  const checkAll = async () => {
    for (const [connection, own] of stops) {
      for (const [sessionId, stop] of own) {
        // A database that is away for a moment says nothing about a token.
        if (await maySee(connection, sessionId).catch(() => true)) continue;
        channelOf(app, sessionId).leave(connection as never);
        own.delete(sessionId);
        stop();
      }
    }
  };
  const timer = setInterval(() => {
    if (isOver()) clearInterval(timer);
    else void checkAll();
  }, everyMs).unref();
  return async (sessionId, connection) => {
    // It may have gone while it was being found out whether it may subscribe.
    if (gone.has(connection)) return;
    const own = stops.get(connection) ?? new Map<string, () => void>();
    stops.set(connection, own);
    if (own.has(sessionId)) return;
    own.set(sessionId, () => {});
    channelOf(app, sessionId).join(connection as never);
    try {
      const stop = await view.follow(sessionId);
      if (gone.has(connection)) stop();
      else own.set(sessionId, stop);
    } catch (error) {
      own.delete(sessionId);
      throw error;
    }
  };
}

function channelOf(app: Application, sessionId: string | undefined) {
  return app.channel(`session ${sessionId ?? ''}`);
}
