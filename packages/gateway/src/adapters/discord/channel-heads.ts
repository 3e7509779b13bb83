import type { APIChannel, REST, RESTGetAPIGuildThreadsResult } from 'discord.js';
import type { AccessRules } from '../../config/access.ts';
import { PLATFORM, snowflakeTime, toGatewayId, toSnowflake } from './discord-ids.ts';
import { parentOfThread } from './thread-parents.ts';

/** Before every message. */
const NO_MESSAGE = '0';

type HeadsInput = Pick<AccessRules, 'guilds' | 'channels'> & {
  /** The last message of each channel that the gateway knows. */
  known: ReadonlyMap<string, string>;
  onProblem(id: string, error: unknown): void;
};

/**
 * The message of each channel and thread of the allowed servers and channels after which the gateway begins to read. It
 * is the last one, or the beginning of what was created since the gateway last received something.
 */
export async function channelHeads(
  rest: REST,
  { guilds, channels, known, onProblem }: HeadsInput,
): Promise<Map<string, string>> {
  const heads = new Map<string, string>();
  const since = newestTime(known);
  const add = (channel: APIChannel, isWatched: boolean) => {
    if (!('last_message_id' in channel)) return;
    const isNew = isWatched && since !== undefined && createdAt(channel) >= since;
    heads.set(
      toGatewayId(channel.id),
      isNew ? NO_MESSAGE : (channel.last_message_id ?? NO_MESSAGE),
    );
  };
  // What was allowed only now may be full of old messages.
  const addThread = (thread: APIChannel) => {
    const parent = parentOfThread(thread);
    add(thread, parent !== undefined && known.has(toGatewayId(parent)));
  };
  const attempt = async (id: string, act: () => Promise<void>) => {
    if (!id.startsWith(`${PLATFORM}:`)) return;
    await act().catch((error: unknown) => onProblem(id, error));
  };
  const threadsIn = async (guild: string) => {
    const active = await rest.get(`/guilds/${guild}/threads/active`);
    return (active as RESTGetAPIGuildThreadsResult).threads as APIChannel[];
  };
  for (const id of guilds) {
    await attempt(id, async () => {
      const guild = toSnowflake(id);
      const all = (await rest.get(`/guilds/${guild}/channels`)) as APIChannel[];
      const isWatched = all.some((channel) => known.has(toGatewayId(channel.id)));
      for (const channel of all) add(channel, isWatched);
      for (const thread of await threadsIn(guild)) addThread(thread);
    });
  }
  /** The threads of servers of which only channels are allowed. */
  const threads = new Map<string, Promise<APIChannel[]>>();
  for (const id of channels) {
    if (heads.has(id)) continue;
    await attempt(id, async () => {
      const channel = (await rest.get(`/channels/${toSnowflake(id)}`)) as APIChannel;
      add(channel, false);
      const guild = 'guild_id' in channel ? channel.guild_id : undefined;
      if (guild === undefined) return;
      const listed = threads.get(guild) ?? threadsIn(guild);
      threads.set(guild, listed);
      for (const thread of await listed) {
        if (parentOfThread(thread) === channel.id) addThread(thread);
      }
    });
  }
  return heads;
}

/** Returns the time of the newest stored message; undefined before the first start. */
function newestTime(known: ReadonlyMap<string, string>): number | undefined {
  const times = [...known].flatMap(([channelId, messageId]) =>
    channelId.startsWith(`${PLATFORM}:`) && messageId !== NO_MESSAGE
      ? [snowflakeTime(messageId)]
      : [],
  );
  return times.length > 0 ? Math.max(...times) : undefined;
}

/** A thread has the id of the message that it was started from, which may be much older. */
function createdAt(channel: APIChannel): number {
  const created =
    'thread_metadata' in channel ? channel.thread_metadata?.create_timestamp : undefined;
  return created ? Date.parse(created) : snowflakeTime(channel.id);
}
