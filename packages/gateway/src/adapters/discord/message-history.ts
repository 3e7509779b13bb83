import type { APIChannel, APIMessage } from 'discord.js';
import type { IncomingMessage } from '../../channel-adapter.ts';
import { compareSnowflakes } from './discord-ids.ts';
import { HISTORY_PAGE } from './discord-limits.ts';
import { isFromPerson, toIncomingMessage } from './incoming-message.ts';
import { parentOfThread } from './thread-parents.ts';

type History = {
  request(path: `/${string}`, query?: URLSearchParams): Promise<unknown>;
  channelId: string;
  after: string;
  botId: string;
};

/** The messages of people that followed one, the oldest first. */
export async function* messageHistory(history: History): AsyncIterable<IncomingMessage> {
  const { request, channelId, botId } = history;
  const channel = (await request(`/channels/${channelId}`)) as APIChannel;
  const guildId = 'guild_id' in channel ? channel.guild_id : undefined;
  const parentId = parentOfThread(channel);
  for (let after = history.after; ; ) {
    const query = new URLSearchParams({ after, limit: String(HISTORY_PAGE) });
    const page = (await request(`/channels/${channelId}/messages`, query)) as APIMessage[];
    // Discord returns the oldest messages after the given one, but the newest of them first.
    const oldestFirst = page.toSorted((a, b) => compareSnowflakes(a.id, b.id));
    for (const message of oldestFirst.filter(isFromPerson)) {
      yield toIncomingMessage(message, { guildId, parentId, botId });
    }
    const last = oldestFirst.at(-1);
    if (!last || page.length < HISTORY_PAGE) return;
    after = last.id;
  }
}
