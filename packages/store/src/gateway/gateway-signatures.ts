import type { Db } from '../engine/engine.ts';

/** The webhook signatures that were used, so that a captured request cannot be sent again. */
export class GatewaySignatures {
  #db: Db;
  #now: () => number;

  constructor(db: Db, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  /** Stores a signature until it expires; false if it is stored already. */
  async remember(signature: string, expiresAt: number): Promise<boolean> {
    await this.#db.deleteFrom('gateway_signatures').where('expires_at', '<', this.#now()).execute();
    const { numInsertedOrUpdatedRows = 0n } = await this.#db
      .insertInto('gateway_signatures')
      .values({ signature, expires_at: expiresAt })
      .onConflict((conflict) => conflict.column('signature').doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows > 0n;
  }
}
