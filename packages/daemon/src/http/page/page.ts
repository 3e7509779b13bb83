import type { Middleware } from '@feathersjs/koa';
import { type PageFile, readPageFiles } from './page-files.ts';

const PLACE = '/app/';
const YEAR_SECONDS = 365 * 24 * 60 * 60;

/**
 * Content security policy. The page shows the output of agents: only our own files may run or load, and no text can
 * become a script.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** Serves the built page, if there is one; every path below its own is a view of it. */
export function page(folder: string | undefined): Middleware {
  const files = folder === undefined ? undefined : readPageFiles(folder);
  const start = files?.get('index.html');
  return (ctx, next) => {
    if (!files || !start || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    if (ctx.path === '/' || ctx.path === '/app') return ctx.redirect(PLACE);
    if (!ctx.path.startsWith(PLACE)) return next();
    const file = files.get(ctx.path.slice(PLACE.length)) ?? start;
    // A file that is gone is not a view: a script must not turn out to be a page.
    if (file === start && ctx.path.startsWith(`${PLACE}assets/`)) return next();
    ctx.set('Content-Security-Policy', POLICY);
    ctx.set('Cache-Control', file.isForever ? `max-age=${YEAR_SECONDS}, immutable` : 'no-cache');
    ctx.vary('Accept-Encoding');
    send(ctx, file);
  };
}

function send(ctx: Parameters<Middleware>[0], { type, body, compressed }: PageFile): void {
  ctx.type = type;
  const accepted = ctx.acceptsEncodings('br', 'gzip', 'identity');
  const encoding = accepted === 'br' || accepted === 'gzip' ? accepted : undefined;
  const small = encoding && compressed[encoding];
  if (small) ctx.set('Content-Encoding', encoding);
  ctx.body = small ?? body;
}
