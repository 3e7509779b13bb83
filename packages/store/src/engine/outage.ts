import { BatonError } from '@baton/protocol';

/** Primary result codes of SQLite that are about the disk or other processes, not about the query. */
const SQLITE: ReadonlySet<number> = new Set([
  5, // busy
  6, // locked
  7, // no memory
  8, // read-only
  10, // input or output
  13, // full
  14, // cannot open
]);
/** SQLite's result codes for a file that is damaged, or is no database at all. */
const SQLITE_DAMAGE: ReadonlySet<number> = new Set([11, 26]);
const SQLITE_FULL = 13;
/** System error codes for a full disk or an exceeded disk quota. */
const NO_ROOM: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);
/**
 * PostgreSQL error classes: connection, resources, limits, operator intervention, system errors, transaction conflicts.
 */
const POSTGRES = /^(08|53|54|57|58|40)\w{3}$/;
const NETWORK = /^E(CONN\w+|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN)$/;
/** Messages of the PostgreSQL driver for connection errors without a code. */
const WORDS =
  /^(Connection terminated|Client (has encountered a connection error|was closed)|timeout exceeded)/;

type Failure = { code?: unknown; errcode?: unknown; message?: unknown; errors?: unknown };

/** Returns the error for a database that is currently unusable, or undefined if the query itself is wrong. */
export function outageOf(error: unknown): BatonError | undefined {
  if (BatonError.is(error)) return undefined;
  if (isDamage(error)) {
    return new BatonError('store_damaged', 'The database is damaged.', { cause: error });
  }
  if (isFull(error)) {
    return new BatonError('store_unavailable', 'The disk is full.', {
      hint: "Free some disk space on the daemon's machine. A running daemon then resumes on its own.",
      cause: error,
    });
  }
  if (!isOutage(error)) return undefined;
  // The reason is for the log: the messages of a driver contain addresses.
  return new BatonError('store_unavailable', 'The database is currently unavailable.', {
    cause: error,
  });
}

/** True if an error means that the database file can no longer be trusted. */
export function isDamage(error: unknown): boolean {
  const { errcode } = (error ?? {}) as Failure;
  return typeof errcode === 'number' && SQLITE_DAMAGE.has(errcode & 0xff);
}

function isFull(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as Failure;
  return errcode === SQLITE_FULL || NO_ROOM.has(code);
}

function isOutage(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, errcode, message, errors } = error as Failure;
  if (typeof errcode === 'number') return SQLITE.has(errcode & 0xff);
  if (typeof code === 'string' && (POSTGRES.test(code) || NETWORK.test(code))) return true;
  // A name may have several addresses, and then there is an error for each.
  if (Array.isArray(errors)) return errors.some(isOutage);
  return typeof message === 'string' && WORDS.test(message);
}
