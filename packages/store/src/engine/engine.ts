import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '../schema/tables.ts';

export type Db = Kysely<Tables>;
/** What happens in it happens together or not at all. */
export type Tx = Transaction<Tables>;

/** One of the two databases. */
export type Engine = {
  readonly kind: 'sqlite' | 'postgres';
  readonly db: Db;
  /** Tells other daemons something short at the moment of the commit; there are none on SQLite. */
  notify(tx: Tx, message: string): Promise<void>;
  /** Hears what other daemons tell. */
  listen(hear: (message: string) => void): Promise<void>;
  close(): Promise<void>;
};
