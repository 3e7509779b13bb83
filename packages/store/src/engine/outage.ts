import { BatonError } from '@baton/protocol';

/** The first bytes of SQLite's result codes that say something of the disk or of other processes, not of the query. */
const SQLITE: ReadonlySet<number> = new Set([
  5, // busy
  6, // locked
  7, // no memory
  8, // read-only
  10, // input or output
  13, // full
  14, // cannot open
]);
/** Classes of PostgreSQL's codes: connection, resources, limits, an operator, the system, a conflict of transactions. */
const POSTGRES = /^(08|53|54|57|58|40)\w{3}$/;
const NETWORK = /^E(CONN\w+|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN)$/;
/** What the driver of PostgreSQL says without a code. */
const WORDS =
  /^(Connection terminated|Client (has encountered a connection error|was closed)|timeout exceeded)/;

type Failure = { code?: unknown; errcode?: unknown; message?: unknown; errors?: unknown };

/** The error for a database that cannot be used just now; nothing when it is the query that is wrong. */
export function outageOf(error: unknown): BatonError | undefined {
  if (BatonError.is(error) || !isOutage(error)) return undefined;
  // Why is for the log: the words of a driver name addresses.
  return new BatonError('store_unavailable', 'The database cannot be used just now.', {
    cause: error,
  });
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
