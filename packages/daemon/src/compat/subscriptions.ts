import type { Application } from '@feathersjs/koa';
import { isFor, type Principal } from '../access/principal.ts';
import type { DaemonContext } from '../context.ts';
import type { Call, Connection } from '../service/definition.ts';
import type { SeedView } from './seed-view.ts';

const VIEWED = ['sessions', 'tasks', 'messages'];
/** Channel of user connections, which receive an event when a session is created or changes. */
const USERS = 'users';
/** A connection receives at most this many sessions that it asked about. */
const MOST_ASKED = 20;

type SubscriptionOptions = {
  /** Returns the current principal of a connection, whose token may have been revoked. */
  principalOf(connection: Connection): Promise<Principal>;
  /** True if a principal may see a session. */
  seesSession(principal: Principal, sessionId: string): Promise<boolean>;
  /** Interval at which the permissions of a connection are checked again. */
  everyMs: number;
  /** True if no more events will come. */
  isOver(): boolean;
};

/** `isAsked`: the connection did not subscribe, but asked about the session. */
type Subscription = { isAsked: boolean; stop(): void };

/**
 * Sends service events to connections. An executor receives its own session. A user receives the sessions that the
 * connection asked about, and created and changed sessions. A client that needs more subscribes to a session.
 */
export class Subscriptions {
  #app: Application;
  #view: SeedView;
  #options: SubscriptionOptions;
  /** Subscriptions of each connection, oldest first. */
  #heard = new Map<Connection, Map<string, Subscription>>();
  #users = new Set<Connection>();
  #gone = new WeakSet<Connection>();

  constructor(app: Application, view: SeedView, options: SubscriptionOptions) {
    this.#app = app;
    this.#view = view;
    this.#options = options;
    for (const path of VIEWED) {
      app.service(path).publish((data: { session_id: string }) => this.#listeners(data.session_id));
    }
    for (const event of ['created', 'patched']) {
      app
        .service('sessions')
        .publish(event, (data: { session_id: string }) => [
          ...this.#listeners(data.session_id),
          app.channel(USERS),
        ]);
    }
    app.on('connection', (connection: Connection) => void this.hear(connection));
    app.on('disconnect', (connection: Connection) => this.#forget(connection));
    const timer = setInterval(() => {
      if (options.isOver()) clearInterval(timer);
      else void this.#checkAll();
    }, options.everyMs).unref();
  }

  /** True if a user is connected. */
  get hasUsers(): boolean {
    return this.#users.size > 0;
  }

  /** Subscribes a connection to a session until it disconnects. */
  subscribe: DaemonContext['subscribe'] = (sessionId, connection) =>
    this.#follow(sessionId, connection, false);

  /** Subscribes a connection to the events that it receives without asking. */
  async hear(connection: Connection): Promise<void> {
    if (!hearsEvents(connection)) return;
    const principal = await this.#options.principalOf(connection).catch(() => undefined);
    if (principal) await this.#hearAs(principal, connection);
  }

  /** Subscribes a connection to the session that it asks about, before its call runs. */
  async asked(service: string, call: Call): Promise<void> {
    const { principal, connection } = call;
    if (!connection || !hearsEvents(connection)) return;
    await this.#hearAs(principal, connection);
    const sessionId = VIEWED.includes(service) ? sessionIn(service, call) : undefined;
    if (sessionId === undefined || principal.kind !== 'user') return;
    // The call itself says that there is no such session.
    await this.#follow(sessionId, connection, true).catch(() => {});
    const asked = [...(this.#heard.get(connection) ?? [])].filter(([, each]) => each.isAsked);
    for (const [oldest] of asked.slice(0, -MOST_ASKED)) this.#leave(oldest, connection);
  }

  async #hearAs(principal: Principal, connection: Connection): Promise<void> {
    if (isFor(['viewer'], principal) && !this.#users.has(connection)) {
      if (this.#gone.has(connection)) return;
      this.#users.add(connection);
      this.#app.channel(USERS).join(connection as never);
    }
    if (principal.kind !== 'executor') return;
    const { sessionId } = principal.claims;
    if (this.#heard.get(connection)?.has(sessionId)) return;
    const mayHear = this.#options.seesSession(principal, sessionId).catch(() => false);
    if (await mayHear) await this.#follow(sessionId, connection, false).catch(() => {});
  }

  async #follow(sessionId: string, connection: Connection, isAsked: boolean): Promise<void> {
    // It may have gone while it was being found out whether it may subscribe.
    if (this.#gone.has(connection)) return;
    const own = this.#heard.get(connection) ?? new Map<string, Subscription>();
    this.#heard.set(connection, own);
    const known = own.get(sessionId);
    const subscription = known ?? { isAsked, stop: () => {} };
    subscription.isAsked &&= isAsked;
    own.delete(sessionId);
    own.set(sessionId, subscription);
    if (known) return;
    this.#channel(sessionId).join(connection as never);
    try {
      const stop = await this.#view.follow(sessionId);
      if (own.get(sessionId) === subscription) subscription.stop = stop;
      else stop();
    } catch (error) {
      this.#leave(sessionId, connection);
      throw error;
    }
  }

  #leave(sessionId: string, connection: Connection): void {
    const own = this.#heard.get(connection);
    this.#channel(sessionId).leave(connection as never);
    own?.get(sessionId)?.stop();
    own?.delete(sessionId);
  }

  #forget(connection: Connection): void {
    this.#gone.add(connection);
    this.#users.delete(connection);
    const own = this.#heard.get(connection);
    this.#heard.delete(connection);
    for (const { stop } of own?.values() ?? []) stop();
    own?.clear();
  }

  async #checkAll(): Promise<void> {
    for (const connection of new Set([...this.#users, ...this.#heard.keys()])) {
      // A database that is away for a moment says nothing about a token.
      await this.#check(connection).catch(() => {});
    }
  }

  async #check(connection: Connection): Promise<void> {
    const { principalOf, seesSession } = this.#options;
    const principal = await principalOf(connection);
    if (this.#users.has(connection) && !isFor(['viewer'], principal)) {
      this.#users.delete(connection);
      this.#app.channel(USERS).leave(connection as never);
    }
    const isKnown = isFor(['viewer', 'executor'], principal);
    for (const sessionId of [...(this.#heard.get(connection)?.keys() ?? [])]) {
      if (!isKnown || !(await seesSession(principal, sessionId))) {
        this.#leave(sessionId, connection);
      }
    }
  }

  #channel(sessionId: string) {
    return this.#app.channel(`session ${sessionId}`);
  }

  /**
   * Returns the channel of a followed session. Feathers creates a channel on access and never removes an unused one.
   */
  #listeners(sessionId: string) {
    return this.#view.isFollowed(sessionId) ? [this.#channel(sessionId)] : [];
  }
}

/** True unless the connection declined service events, as clients do that follow the log themselves. */
function hearsEvents(connection: Connection): boolean {
  return (connection as { hearsEvents?: boolean }).hearsEvents === true;
}

/** The session that a call names. */
function sessionIn(service: string, { id, data, query }: Call): string | undefined {
  const named = [data, query].map((each) => (each as { session_id?: unknown })?.session_id);
  const found = [...named, service === 'sessions' && id].find((each) => typeof each === 'string');
  return typeof found === 'string' && found !== '' ? found : undefined;
}
