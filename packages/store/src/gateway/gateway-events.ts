import type { Engine, Tx } from '../engine/engine.ts';
import type { GatewayChannelRow, GatewayEventRow, GatewayEventState } from '../schema/tables.ts';

export type NewGatewayEvent = Pick<GatewayEventRow, 'channel_id' | 'message_id' | 'body'>;

/** How many messages may be pending: accepted or running. */
export type GatewayLimits = { total: number; perChannel: number };

/** What became of a message that arrived. A rejected one is stored too, so that it is not taken for new later. */
export type StoredMessage = 'accepted' | 'duplicate' | 'rejected';

const PENDING: readonly GatewayEventState[] = ['accepted', 'running'];
const ENDED: readonly GatewayEventState[] = ['answered', 'failed', 'rejected'];

type EventKey = Pick<GatewayEventRow, 'channel_id' | 'message_id'>;

/** The messages to the chat gateway. Each is stored before anything else happens to it. */
export class GatewayEvents {
  #engine: Engine;
  #now: () => number;

  constructor(engine: Engine, now: () => number) {
    this.#engine = engine;
    this.#now = now;
  }

  /** Stores a message behind the others of its channel. */
  accept(event: NewGatewayEvent, limits: GatewayLimits): Promise<StoredMessage> {
    return this.#engine.db.transaction().execute(async (tx) => {
      const channel = await this.#lockedChannel(tx, event.channel_id);
      if (await eventIn(tx, event)) return 'duplicate';
      const isFull =
        (await pending(tx)) >= limits.total ||
        (await pending(tx, event.channel_id)) >= limits.perChannel;
      const position = channel.head_position + 1;
      const now = this.#now();
      const state = isFull ? 'rejected' : 'accepted';
      await tx
        .insertInto('gateway_events')
        .values({
          ...event,
          position,
          state,
          agent_started: 0,
          result: null,
          accepted_at: now,
          updated_at: now,
        })
        .execute();
      await setHead(tx, event.channel_id, position, { last_message_id: event.message_id });
      return state;
    });
  }

  /** Marks a message as running; false if it is not waiting any more. */
  start(event: EventKey): Promise<boolean> {
    return this.#move(event, ['accepted'], { state: 'running', agent_started: 0 });
  }

  /** Call this before the agent gets the prompt. */
  async agentStarts(event: EventKey): Promise<void> {
    await this.#move(event, ['running'], { agent_started: 1 });
  }

  /** Stores the result before the reply is sent. */
  async storeResult(event: EventKey, result: string): Promise<void> {
    await this.#move(event, ['running'], { state: 'replying', result });
  }

  /** Call this when the platform has confirmed the reply. */
  async end(event: EventKey, state: 'answered' | 'failed'): Promise<void> {
    await this.#move(event, ['replying'], { state });
  }

  /** Puts a message whose run failed behind the others of its channel again; false if it did not fail. */
  retry(event: EventKey): Promise<boolean> {
    return this.#engine.db.transaction().execute(async (tx) => {
      const channel = await this.#lockedChannel(tx, event.channel_id);
      if ((await eventIn(tx, event))?.state !== 'failed') return false;
      const position = channel.head_position + 1;
      await this.#set(tx, event, { state: 'accepted', position, agent_started: 0, result: null });
      await setHead(tx, event.channel_id, position);
      return true;
    });
  }

  /**
   * Call this once before the first message runs. Messages whose agent had not got the prompt wait again; the others get
   * the given result, because the agent may have acted. Returns what has to run and what has to be replied, in order.
   */
  async recover(interrupted: (event: GatewayEventRow) => string): Promise<GatewayEventRow[]> {
    return this.#engine.db.transaction().execute(async (tx) => {
      const running = await tx
        .selectFrom('gateway_events')
        .selectAll()
        .where('state', '=', 'running')
        .execute();
      for (const row of running) {
        const mayHaveActed = row.agent_started === 1;
        await this.#set(
          tx,
          row,
          mayHaveActed ? { state: 'replying', result: interrupted(row) } : { state: 'accepted' },
        );
      }
      return tx
        .selectFrom('gateway_events')
        .selectAll()
        .where('state', 'in', ['accepted', 'replying'])
        .orderBy('position')
        .orderBy('channel_id')
        .execute();
    });
  }

  get({ channel_id, message_id }: EventKey): Promise<GatewayEventRow | undefined> {
    return this.#engine.db
      .selectFrom('gateway_events')
      .selectAll()
      .where('channel_id', '=', channel_id)
      .where('message_id', '=', message_id)
      .executeTakeFirst();
  }

  /** The last stored message of each channel. */
  async lastMessages(): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#engine.db
      .selectFrom('gateway_channels')
      .select(['channel_id', 'last_message_id'])
      .execute();
    return new Map(
      rows.flatMap(({ channel_id, last_message_id: id }) =>
        id === null ? [] : [[channel_id, id]],
      ),
    );
  }

  /** Deletes messages that ended before a time; returns how many. */
  async removeEnded(before: number): Promise<number> {
    const { numDeletedRows } = await this.#engine.db
      .deleteFrom('gateway_events')
      .where('state', 'in', [...ENDED])
      .where('updated_at', '<', before)
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  }

  async #move(
    event: EventKey,
    from: readonly GatewayEventState[],
    changes: Partial<GatewayEventRow>,
  ): Promise<boolean> {
    const { numUpdatedRows } = await this.#engine.db
      .updateTable('gateway_events')
      .set({ ...changes, updated_at: this.#now() })
      .where('channel_id', '=', event.channel_id)
      .where('message_id', '=', event.message_id)
      .where('state', 'in', [...from])
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  async #set(tx: Tx, event: EventKey, changes: Partial<GatewayEventRow>): Promise<void> {
    await tx
      .updateTable('gateway_events')
      .set({ ...changes, updated_at: this.#now() })
      .where('channel_id', '=', event.channel_id)
      .where('message_id', '=', event.message_id)
      .execute();
  }

  /** Locks a channel, so that its messages get different positions. */
  async #lockedChannel(tx: Tx, channelId: string): Promise<GatewayChannelRow> {
    await tx
      .insertInto('gateway_channels')
      .values({ channel_id: channelId, last_message_id: null, head_position: 0 })
      .onConflict((conflict) => conflict.column('channel_id').doNothing())
      .execute();
    return tx
      .selectFrom('gateway_channels')
      .selectAll()
      .where('channel_id', '=', channelId)
      .$if(this.#engine.kind === 'postgres', (query) => query.forUpdate())
      .executeTakeFirstOrThrow();
  }
}

function eventIn(
  tx: Tx,
  { channel_id, message_id }: EventKey,
): Promise<GatewayEventRow | undefined> {
  return tx
    .selectFrom('gateway_events')
    .selectAll()
    .where('channel_id', '=', channel_id)
    .where('message_id', '=', message_id)
    .executeTakeFirst();
}

async function pending(tx: Tx, channelId?: string): Promise<number> {
  let query = tx
    .selectFrom('gateway_events')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('state', 'in', [...PENDING]);
  if (channelId !== undefined) query = query.where('channel_id', '=', channelId);
  const { count } = await query.executeTakeFirstOrThrow();
  return Number(count);
}

async function setHead(
  tx: Tx,
  channelId: string,
  position: number,
  changes: Partial<GatewayChannelRow> = {},
): Promise<void> {
  await tx
    .updateTable('gateway_channels')
    .set({ ...changes, head_position: position })
    .where('channel_id', '=', channelId)
    .execute();
}
