import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '../schema/tables.ts';

export type Db = Kysely<Tables>;
/** A database transaction. */
export type Tx = Transaction<Tables>;

/** One of the two databases. */
export type Engine = {
  readonly kind: 'sqlite' | 'postgres';
  readonly db: Db;
  /** Sends a short message to other daemons when the transaction commits; does nothing on SQLite. */
  notify(tx: Tx, message: string): Promise<void>;
  /** Subscribes to the messages of other daemons. */
  listen(hear: (message: string) => void): Promise<void>;
  close(): Promise<void>;
};
