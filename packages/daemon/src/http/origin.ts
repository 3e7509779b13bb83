import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { BatonError } from '@baton/protocol';
import type { Middleware } from '@feathersjs/koa';
import { transportError } from '../service/errors.ts';

/** The addresses of a daemon. */
export type Doors = {
  /** True if it listens on the loopback address only. */
  isLocal: boolean;
  /** The address of the proxy in front of it, if there is one. */
  publicUrl: string | undefined;
};

type Request = Pick<IncomingMessage, 'headers'>;

/** Returns why a browser may not make a request: another site made it, or the Host header is not ours. */
export function refusal({ headers: { host, origin } }: Request, doors: Doors): string | undefined {
  const known = doors.publicUrl === undefined ? undefined : new URL(doors.publicUrl);
  const isKnown = host === known?.host || !doors.isLocal || isOfThisMachine(host);
  // Any name can be made to lead to this machine; pages under it are of "the same origin" for a browser.
  if (!isKnown) return `Unrecognized Host header: ${host}.`;
  const own = [known?.origin, `http://${host}`, `https://${host}`];
  if (origin === undefined || own.includes(origin)) return undefined;
  return 'Cross-origin requests are not allowed.';
}

/** Rejects requests that another site makes a browser send. */
export function checkOrigin(doors: Doors): Middleware {
  return async (ctx, next) => {
    const message = refusal(ctx.req, doors);
    if (message === undefined) return next();
    throw transportError(
      new BatonError('forbidden', message, {
        hint: 'Start the daemon with --public-url set to the address of the proxy or page in front of it.',
      }),
    );
  };
}

function isOfThisMachine(host: string | undefined): boolean {
  const url = host === undefined ? null : URL.parse(`http://${host}`);
  if (!url) return false;
  const name = url.hostname.replace(/^\[|\]$/g, '');
  return name === 'localhost' || isIP(name) !== 0;
}
