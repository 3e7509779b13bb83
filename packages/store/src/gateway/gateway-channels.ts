import { addUsage, type Usage } from '@baton/protocol';
import type { Engine, Tx } from '../engine/engine.ts';
import type { GatewayChannelRow } from '../schema/tables.ts';

/** Backend and model that users chose for a channel; null for the gateway's default. */
export type ChannelChoice = Pick<GatewayChannelRow, 'backend' | 'model'>;

/** The channels of the chat gateway. */
export class GatewayChannels {
  #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  get(channelId: string): Promise<GatewayChannelRow | undefined> {
    return this.#engine.db
      .selectFrom('gateway_channels')
      .selectAll()
      .where('channel_id', '=', channelId)
      .executeTakeFirst();
  }

  /** Changes the backend or model of a channel. */
  choose(channelId: string, choice: Partial<ChannelChoice>): Promise<void> {
    return this.#change(channelId, choice);
  }

  /** Remembers a message that was handled without being stored, so that it is not fetched again. */
  seen(channelId: string, messageId: string): Promise<void> {
    return this.#change(channelId, { last_message_id: messageId });
  }

  /** The last message of each channel that was stored or handled. */
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

  #change(channelId: string, changes: Partial<GatewayChannelRow>): Promise<void> {
    return this.#engine.db.transaction().execute(async (tx) => {
      await lockedChannel(this.#engine, tx, channelId);
      await setChannel(tx, channelId, changes);
    });
  }
}

/** Locks a channel, so that its messages get different positions. */
export async function lockedChannel(
  engine: Engine,
  tx: Tx,
  channelId: string,
): Promise<GatewayChannelRow> {
  await tx
    .insertInto('gateway_channels')
    .values({
      channel_id: channelId,
      last_message_id: null,
      head_position: 0,
      backend: null,
      model: null,
      usage: null,
    })
    .onConflict((conflict) => conflict.column('channel_id').doNothing())
    .execute();
  return tx
    .selectFrom('gateway_channels')
    .selectAll()
    .where('channel_id', '=', channelId)
    .$if(engine.kind === 'postgres', (query) => query.forUpdate())
    .executeTakeFirstOrThrow();
}

export async function setChannel(
  tx: Tx,
  channelId: string,
  changes: Partial<GatewayChannelRow>,
): Promise<void> {
  await tx
    .updateTable('gateway_channels')
    .set(changes)
    .where('channel_id', '=', channelId)
    .execute();
}

/** Adds the usage of a run to the total of its channel. */
export async function addChannelUsage(
  engine: Engine,
  tx: Tx,
  channelId: string,
  usage: Usage,
): Promise<void> {
  const { usage: earlier } = await lockedChannel(engine, tx, channelId);
  const sum = addUsage(earlier === null ? undefined : (JSON.parse(earlier) as Usage), usage);
  await setChannel(tx, channelId, { usage: JSON.stringify(sum) });
}
