import { BatonError } from '@baton/protocol';
import { damaged } from './check-sqlite.ts';
import { isDamage, outageOf } from './outage.ts';

type Failure = { code?: unknown; message?: unknown; errors?: unknown };

/** Says why a database could not be opened, and what to do; gives other errors as they are. */
export function openFailure(error: unknown, url: string): unknown {
  if (BatonError.is(error)) return error;
  return isPostgresUrl(url) ? postgresFailure(error, url) : sqliteFailure(error, url);
}

/** Whether an address is one of PostgreSQL; all others are paths of SQLite files. */
export function isPostgresUrl(url: string): boolean {
  return /^postgres(ql)?:/.test(url);
}

function sqliteFailure(error: unknown, path: string): unknown {
  const { message } = error as Failure;
  if (isDamage(error)) return damaged(path, String(message));
  const outage = outageOf(error);
  if (!outage) return error;
  const { hint } = outage;
  const why = `The database ${path} cannot be opened: ${message}`;
  return new BatonError('store_unavailable', why, { hint, cause: error });
}

function postgresFailure(error: unknown, url: string): unknown {
  const address = withoutPassword(url);
  const { code, message } = firstOf(error);
  const unavailable = (why: string, hint: string) =>
    new BatonError('store_unavailable', why, { hint, cause: error });
  if (code === '28P01' || code === '28000' || /^SASL/.test(String(message))) {
    return unavailable(
      `PostgreSQL refuses the user or the password: ${address}`,
      'Check the user and the password in DATABASE_URL.',
    );
  }
  if (code === '3D000') {
    return unavailable(
      `PostgreSQL has no such database: ${address}`,
      'Create the database with createdb, or correct its name in DATABASE_URL.',
    );
  }
  if (!outageOf(error)) return error;
  return unavailable(
    `PostgreSQL does not answer at ${address} (${code ?? message}).`,
    'Check that PostgreSQL is running, and its address in DATABASE_URL.',
  );
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
  return url.href;
}
