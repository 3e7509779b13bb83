import { Readable } from 'node:stream';
import { ConversationView, type LogEvent } from '@baton/protocol';
import type { Middleware } from '@feathersjs/koa';
import type { Authenticator } from '../access/authenticate.ts';
import { isFor, type Principal } from '../access/principal.ts';
import { refusal } from '../access/refusal.ts';
import { transportError } from '../service/errors.ts';
import { tokenOf } from './token.ts';

const PATH = /^\/sessions\/([^/]+)\/conversation$/;
/** Maximum number of events per patch, which limits the memory that a slow reader costs the daemon. */
const AT_ONCE = 1000;
/**
 * After this long without events a comment is sent, to keep proxies from closing the connection and to detect lost
 * ones.
 */
const QUIET_MS = 15_000;

type ConversationSource = {
  authenticator: Authenticator;
  feed: {
    readonly isClosed: boolean;
    next(request: {
      sessionId: string;
      after: number;
      limit: number;
      waitMs: number;
    }): Promise<{ events: LogEvent[]; cursor: number }>;
  };
  /** Throws when there is no such session for the caller. */
  checkSession(sessionId: string, principal: Principal): Promise<void>;
};

/**
 * Streams the conversation of a session as server-sent events: one `snapshot`, then a `patch` (RFC 6902) per change. A
 * long conversation begins with a snapshot of its first part and patches that add the rest, so that the daemon never
 * has all of it in memory. A reader that reconnects gets a new snapshot.
 */
export function conversationStream(source: ConversationSource): Middleware {
  return async (ctx, next) => {
    const [, id] = PATH.exec(ctx.path) ?? [];
    if (id === undefined || ctx.method !== 'GET') return next();
    const sessionId = decodeURIComponent(id);
    const token = tokenOf(ctx.req);
    try {
      await source.checkSession(sessionId, await reader(source, token));
    } catch (error) {
      throw transportError(error);
    }
    ctx.type = 'text/event-stream';
    ctx.set('Cache-Control', 'no-store');
    ctx.body = Readable.from(messages(source, sessionId, token));
  };
}

async function* messages(
  source: ConversationSource,
  sessionId: string,
  token: string | undefined,
): AsyncGenerator<string> {
  const { feed } = source;
  const view = new ConversationView();
  let after = 0;
  for (let waitMs = 0; !feed.isClosed; waitMs = QUIET_MS) {
    const { events, cursor } = await feed.next({ sessionId, after, limit: AT_ONCE, waitMs });
    if (feed.isClosed) return;
    // The token may have been revoked meanwhile.
    await reader(source, token);
    const isFirst = waitMs === 0;
    after = cursor;
    const patch = view.patch(events);
    if (isFirst) yield message('snapshot', after, { entries: patch.map(({ value }) => value) });
    else if (patch.length > 0) yield message('patch', after, patch);
    else if (events.length === 0) yield ': keep-alive\n\n';
  }
}

async function reader(
  { authenticator }: ConversationSource,
  token: string | undefined,
): Promise<Principal> {
  const principal = await authenticator.whoShows(token);
  if (!isFor(['viewer'], principal)) throw refusal(principal);
  return principal;
}

function message(name: string, cursor: number, data: unknown): string {
  return `event: ${name}\nid: ${cursor}\ndata: ${JSON.stringify(data)}\n\n`;
}
