import { BatonError } from '@baton/protocol';
import { damaged } from './check-sqlite.ts';
import type { Engine } from './engine.ts';
import { isDamage, outageOf } from './outage.ts';

type Failure = { code?: unknown; message?: unknown; errors?: unknown };

/**
 * Returns an error that says why a database could not be opened and what to do, with the original error as its cause.
 */
export function openFailure(error: unknown, url: string): BatonError {
  if (BatonError.is(error)) return error;
  return databaseKind(url) === 'postgres' ? postgresFailure(error, url) : sqliteFailure(error, url);
}

/** Returns the kind of database that a URL names. A path means SQLite; other URL schemes are rejected. */
export function databaseKind(url: string): Engine['kind'] {
  if (/^postgres(ql)?:/i.test(url)) return 'postgres';
  if (!url.includes('://')) return 'sqlite';
  // The rest may contain a password, wherever it is in a malformed URL.
  const [scheme] = /^[a-z][a-z\d+.-]*:\/\//i.exec(url) ?? [];
  const what = scheme ? `has the scheme ${scheme}` : 'has an unknown scheme';
  throw new BatonError('usage', `DATABASE_URL ${what}, which is not supported.`, {
    hint: 'Use a postgres:// URL or the path of an SQLite file.',
  });
}

function sqliteFailure(error: unknown, path: string): BatonError {
  const { code, message } = error as Failure;
  if (isDamage(error)) return damaged(path, String(message));
  const outage = outageOf(error);
  const hint =
    code === 'EISDIR'
      ? 'The path is a folder. Use the path of a file.'
      : 'Check the path, and that the user who runs Baton can read and write the file and its folder.';
  return cannotOpen(path, error, outage?.hint ?? hint);
}

function postgresFailure(error: unknown, url: string): BatonError {
  const address = withoutPassword(url);
  const { code, message } = firstOf(error);
  const unavailable = (why: string, hint: string) =>
    new BatonError('store_unavailable', why, { hint, cause: error });
  if (code === '28P01' || code === '28000' || /^SASL/.test(String(message))) {
    return unavailable(
      `PostgreSQL rejected the user or password: ${address}`,
      'Check the user and the password in DATABASE_URL.',
    );
  }
  if (code === '3D000') {
    return unavailable(
      `The PostgreSQL database does not exist: ${address}`,
      'Create the database with createdb, or fix its name in DATABASE_URL.',
    );
  }
  if (!outageOf(error)) {
    return cannotOpen(address, error, 'Check DATABASE_URL and the permissions of the user.');
  }
  return unavailable(
    `Cannot reach PostgreSQL at ${address} (${code ?? message}).`,
    'Check that PostgreSQL is running and that DATABASE_URL is correct.',
  );
}

function cannotOpen(where: string, cause: unknown, hint: string): BatonError {
  const { message } = firstOf(cause);
  const why = `Cannot open the database ${where}: ${message}`;
  return new BatonError('store_unavailable', why, { hint, cause });
}

/** A name may have several addresses, and then there is an error for each. */
function firstOf(error: unknown): Failure {
  const { errors } = error as Failure;
  return (Array.isArray(errors) ? errors[0] : error) as Failure;
}

function withoutPassword(text: string): string {
  const url = URL.parse(text);
  if (!url) return 'DATABASE_URL';
  url.password = '';
  url.search = '';
  url.hash = '';
  return url.href;
}
