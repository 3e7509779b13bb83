import type { Usage } from '@baton/protocol';
import type { Db, Engine, Tx } from '../engine/engine.ts';
import type { GatewayEventRow, GatewayEventState } from '../schema/tables.ts';
import { addChannelUsage, lockedChannel, setChannel } from './gateway-channels.ts';

export type NewGatewayEvent = Pick<GatewayEventRow, 'channel_id' | 'message_id' | 'body'>;

/** Maximum numbers of pending messages: accepted or running. */
export type GatewayLimits = { total: number; perChannel: number };

/**
 * Outcome of storing an incoming message. A rejected message is stored too, so that a later duplicate is recognized.
 */
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

  /** Stores a message after the others of its channel. */
  accept(event: NewGatewayEvent, limits: GatewayLimits): Promise<StoredMessage> {
    return this.#engine.db.transaction().execute(async (tx) => {
      const channel = await lockedChannel(this.#engine, tx, event.channel_id);
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
          place: null,
          result: null,
          sent: null,
          accepted_at: now,
          updated_at: now,
        })
        .execute();
      const head = { head_position: position, last_message_id: event.message_id };
      await setChannel(tx, event.channel_id, head);
      return state;
    });
  }

  /** Marks a message as running; false if it is not waiting any more. */
  start(event: EventKey): Promise<boolean> {
    const changes = { state: 'running', agent_started: 0, place: null } as const;
    return this.#move(this.#engine.db, event, ['accepted'], changes);
  }

  /** Call this before the agent gets the prompt. `place` is the daemon that runs it, from which the run can be joined again. */
  async agentStarts(event: EventKey, place?: string): Promise<void> {
    await this.#move(this.#engine.db, event, ['running'], {
      agent_started: 1,
      place: place ?? null,
    });
  }

  /** Stores, as JSON, the messages sent for a message, so that a restarted gateway edits them. */
  async storeSent(event: EventKey, sent: string): Promise<void> {
    await this.#move(this.#engine.db, event, ['running', 'replying'], { sent });
  }

  /** Stores the result before the reply is sent, and adds the usage of the run to its channel. */
  storeResult(event: EventKey, result: string, usage?: Usage): Promise<void> {
    return this.#engine.db.transaction().execute(async (tx) => {
      const isStored = await this.#move(tx, event, ['running'], { state: 'replying', result });
      if (isStored && usage) await addChannelUsage(this.#engine, tx, event.channel_id, usage);
    });
  }

  /** Call this when the platform has confirmed the reply. */
  async end(event: EventKey, state: 'answered' | 'failed'): Promise<void> {
    await this.#move(this.#engine.db, event, ['replying'], { state });
  }

  /** Requeues a message whose run failed, after the others of its channel; false if it did not fail. */
  retry(event: EventKey): Promise<boolean> {
    return this.#engine.db.transaction().execute(async (tx) => {
      const channel = await lockedChannel(this.#engine, tx, event.channel_id);
      if ((await eventIn(tx, event))?.state !== 'failed') return false;
      const position = channel.head_position + 1;
      const anew = { agent_started: 0, place: null, result: null, sent: null } as const;
      await this.#set(tx, event, { ...anew, state: 'accepted', position });
      await setChannel(tx, event.channel_id, { head_position: position });
      return true;
    });
  }

  /**
   * Call this once before the first message runs. Messages whose agent has not received the prompt are queued again,
   * and so are those whose run can be joined again at `place`; the others get the given result, because the agent may
   * have acted. Returns the messages to run and the replies to send, in order.
   */
  async recover(
    interrupted: (event: GatewayEventRow) => string,
    place?: string,
  ): Promise<GatewayEventRow[]> {
    return this.#engine.db.transaction().execute(async (tx) => {
      const running = await tx
        .selectFrom('gateway_events')
        .selectAll()
        .where('state', '=', 'running')
        .execute();
      for (const row of running) {
        const isLost = row.agent_started === 1 && (row.place === null || row.place !== place);
        await this.#set(
          tx,
          row,
          isLost ? { state: 'replying', result: interrupted(row) } : { state: 'accepted' },
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

  /** Counts the pending messages of a channel. */
  pendingIn(channelId: string): Promise<number> {
    return pending(this.#engine.db, channelId);
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
    db: Db,
    event: EventKey,
    from: readonly GatewayEventState[],
    changes: Partial<GatewayEventRow>,
  ): Promise<boolean> {
    const { numUpdatedRows } = await db
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

async function pending(db: Db, channelId?: string): Promise<number> {
  let query = db
    .selectFrom('gateway_events')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('state', 'in', [...PENDING]);
  if (channelId !== undefined) query = query.where('channel_id', '=', channelId);
  const { count } = await query.executeTakeFirstOrThrow();
  return Number(count);
}
