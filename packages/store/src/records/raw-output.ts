import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Db } from '../engine/engine.ts';

const compress = promisify(gzip);
const uncompress = promisify(gunzip);

export type RawPiece = {
  /** Position of the piece in the task's output, in bytes. */
  offset: number;
  bytes: Uint8Array;
  /** Maximum number of bytes kept per task, before compression. */
  maxBytes: number;
};

export type RawPart = { part: number; bytes: Buffer };

/** The raw output of agents, for debugging. */
export class RawOutput {
  #db: Db;
  #now: () => number;

  constructor(db: Db, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  /**
   * Stores a piece of a task's output and returns the number of bytes stored so far. Skips bytes that are already
   * stored; ignores a piece that would leave a gap.
   */
  async append(taskId: string, { offset, bytes, maxBytes }: RawPiece): Promise<number> {
    const before = await this.#size(taskId);
    if (offset > before.bytes) return before.bytes;
    const fresh = bytes.subarray(before.bytes - offset, Math.max(0, maxBytes - offset));
    if (fresh.length === 0) return before.bytes;
    const { numInsertedOrUpdatedRows } = await this.#db
      .insertInto('raw_output')
      .values({
        task_id: taskId,
        part: before.parts + 1,
        at: this.#now(),
        bytes: fresh.length,
        body: await compress(fresh),
      })
      // Another call stored the same part first.
      .onConflict((conflict) => conflict.columns(['task_id', 'part']).doNothing())
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows === 0n
      ? (await this.#size(taskId)).bytes
      : before.bytes + fresh.length;
  }

  /** Returns the output of a task after a given part, a few parts at a time. */
  async read(taskId: string, after: number, limit: number): Promise<RawPart[]> {
    const rows = await this.#db
      .selectFrom('raw_output')
      .select(['part', 'body'])
      .where('task_id', '=', taskId)
      .where('part', '>', after)
      .orderBy('part')
      .limit(limit)
      .execute();
    return Promise.all(
      rows.map(async ({ part, body }) => ({ part, bytes: await uncompress(body) })),
    );
  }

  /** Removes output that was printed before the given time. */
  async removeBefore(time: number): Promise<number> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('raw_output')
      .where('at', '<', time)
      .executeTakeFirst();
    return Number(numDeletedRows);
  }

  async #size(taskId: string): Promise<{ parts: number; bytes: number }> {
    const { parts, bytes } = await this.#db
      .selectFrom('raw_output')
      .select(({ fn }) => [fn.max('part').as('parts'), fn.sum<number>('bytes').as('bytes')])
      .where('task_id', '=', taskId)
      .executeTakeFirstOrThrow();
    return { parts: Number(parts ?? 0), bytes: Number(bytes ?? 0) };
  }
}
