import { addUsage, type Usage } from '@baton/protocol';
import type { Engine, Tx } from '../engine/engine.ts';
import type { GatewayChannelRow } from '../schema/tables.ts';

/** Backend and model that users chose for a channel; null for the gateway's default. */
export type ChannelChoice = Pick<GatewayChannelRow, 'backend' | 'model'>;

/** The worktree that the conversation of a channel works in. */
type ChannelWorkspace = {
  id: string;
  /** Known once it was made. */
  branch?: string | null | undefined;
  cwd?: string | undefined;
};

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

  /** The worktree of a channel; undefined if its conversation has none. */
  async workspaceOf(channelId: string): Promise<ChannelWorkspace | undefined> {
    const { workspace = null } = (await this.get(channelId)) ?? {};
    return workspace === null ? undefined : (JSON.parse(workspace) as ChannelWorkspace);
  }

  /** Gives a channel a worktree, or none for its next conversation. */
  async setWorkspace(channelId: string, workspace: ChannelWorkspace | undefined): Promise<void> {
    await this.#change(channelId, { workspace: workspace ? JSON.stringify(workspace) : null });
  }

  /** Stores where a worktree is, unless the channel has another one meanwhile. */
  async placeWorkspace(channelId: string, workspace: ChannelWorkspace): Promise<void> {
    await this.#engine.db.transaction().execute(async (tx) => {
      const { workspace: json } = await lockedChannel(this.#engine, tx, channelId);
      const known = json === null ? undefined : (JSON.parse(json) as ChannelWorkspace);
      if (known?.id !== workspace.id) return;
      await setChannel(tx, channelId, { workspace: JSON.stringify(workspace) });
    });
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
      workspace: null,
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
