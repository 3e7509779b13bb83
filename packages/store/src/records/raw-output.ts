import { gunzipSync, gzipSync } from 'node:zlib';
import type { Db } from '../engine/engine.ts';

export type RawOutputOptions = {
  /** So much of what one task printed is kept, before compression. */
  maxBytes: number;
};

/** What agents really printed, for whoever has to find out why. */
export class RawOutput {
  #db: Db;
  #now: () => number;

  constructor(db: Db, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  /** Keeps a piece of what a task printed; false once there is more than is kept of one task. */
  async append(taskId: string, text: Uint8Array, { maxBytes }: RawOutputOptions): Promise<boolean> {
    return this.#db.transaction().execute(async (tx) => {
      const { parts, bytes } = await tx
        .selectFrom('raw_output')
        .select(({ fn }) => [fn.max('part').as('parts'), fn.sum<number>('bytes').as('bytes')])
        .where('task_id', '=', taskId)
        .executeTakeFirstOrThrow();
      const kept = text.subarray(0, Math.max(0, maxBytes - Number(bytes ?? 0)));
      if (kept.length === 0) return false;
      const part = Number(parts ?? 0) + 1;
      await tx
        .insertInto('raw_output')
        .values({
          task_id: taskId,
          part,
          at: this.#now(),
          bytes: kept.length,
          body: gzipSync(kept),
        })
        .execute();
      return kept.length === text.length;
    });
  }

  /** Gives what a task printed, piece by piece. */
  async *read(taskId: string): AsyncGenerator<Buffer> {
    for (let after = 0; ; ) {
      const row = await this.#db
        .selectFrom('raw_output')
        .select(['part', 'body'])
        .where('task_id', '=', taskId)
        .where('part', '>', after)
        .orderBy('part')
        .limit(1)
        .executeTakeFirst();
      if (!row) return;
      yield gunzipSync(row.body);
      after = row.part;
    }
  }

  /** Removes what was printed before a time. */
  async removeBefore(time: number): Promise<number> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('raw_output')
      .where('at', '<', time)
      .executeTakeFirst();
    return Number(numDeletedRows);
  }
}
