import type { Db } from '../engine/engine.ts';

/** The agents' own sessions of chat channels, one per channel and backend. */
export class GatewaySessions {
  #db: Db;
  #now: () => number;

  constructor(db: Db, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  async get(channelId: string, backend: string): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom('gateway_sessions')
      .select('native_session_id')
      .where('channel_id', '=', channelId)
      .where('backend', '=', backend)
      .executeTakeFirst();
    return row?.native_session_id;
  }

  async set(channelId: string, backend: string, sessionId: string): Promise<void> {
    const changes = { native_session_id: sessionId, updated_at: this.#now() };
    await this.#db
      .insertInto('gateway_sessions')
      .values({ channel_id: channelId, backend, ...changes })
      .onConflict((conflict) => conflict.columns(['channel_id', 'backend']).doUpdateSet(changes))
      .execute();
  }

  async remove(channelId: string, backend: string): Promise<void> {
    await this.#db
      .deleteFrom('gateway_sessions')
      .where('channel_id', '=', channelId)
      .where('backend', '=', backend)
      .execute();
  }

  /** Removes the sessions of all agents of a channel. */
  async removeAll(channelId: string): Promise<void> {
    await this.#db.deleteFrom('gateway_sessions').where('channel_id', '=', channelId).execute();
  }
}
