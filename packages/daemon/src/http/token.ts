import type { IncomingMessage } from 'node:http';

/** The token that a request shows in its header. */
export function tokenOf({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  return /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1]?.trim();
}
