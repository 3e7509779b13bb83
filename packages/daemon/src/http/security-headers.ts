import type { Middleware } from '@feathersjs/koa';

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; connect-src 'self' ws: wss:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** Tells browsers to keep other sites out, and to come back only encrypted where they came so. */
export function securityHeaders(): Middleware {
  return (ctx, next) => {
    ctx.set(HEADERS);
    if (ctx.secure) ctx.set('Strict-Transport-Security', `max-age=${YEAR_SECONDS}`);
    return next();
  };
}
