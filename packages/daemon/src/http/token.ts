import type { IncomingMessage } from 'node:http';

/** The cookie of a browser that is logged in. */
export const COOKIE = 'baton_login';

/** The token that a request shows: in its header, or in its cookie. */
export function tokenOf({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const [, bearer] = /^Bearer (.+)$/i.exec(headers.authorization ?? '') ?? [];
  if (bearer) return bearer.trim();
  const cookies = (headers.cookie ?? '').split(';').map((each) => each.trim().split('='));
  return cookies.find(([name]) => name === COOKIE)?.[1];
}
