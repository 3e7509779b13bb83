import type { APIChannel, REST } from 'discord.js';
import type { CheckResult } from '../../checks/check-result.ts';
import { API_ERROR, apiErrorCode } from './discord-errors.ts';
import { toSnowflake } from './discord-ids.ts';
import type { FetchGuild } from './guild-facts.ts';
import { NEEDED_PERMISSIONS } from './invite-url.ts';
import { channelPermissions, has, PERMISSION } from './permissions.ts';

const DIRECT_MESSAGE = 1;
/** The types of channels that have messages: text, voice, announcements, three kinds of threads, stages. */
const WITH_MESSAGES: readonly number[] = [0, 2, 5, 10, 11, 12, 13];
const THREADS: readonly number[] = [10, 11, 12];

type Facts = {
  rest: REST;
  fetchGuild: FetchGuild;
  botId: string;
  /** The address that adds the bot to a server. */
  invite: string;
};

/** Checks that the bot can read and write in a channel. */
export async function checkChannel(id: string, facts: Facts): Promise<CheckResult> {
  const name = `Channel ${id}`;
  const fail = (detail: string, hint: string) => ({ name, ok: false, detail, hint });
  const channel = await fetchChannel(facts.rest, toSnowflake(id));
  if (channel === 'unknown') return fail('The channel does not exist.', 'Check the channel id.');
  if (channel === 'no access') {
    return fail(
      'The bot cannot see the channel.',
      `Add the bot to the server (${facts.invite}) and give it the permission View Channel.`,
    );
  }
  if (channel.type === DIRECT_MESSAGE) return { name, ok: true, detail: 'A direct message.' };
  if (!WITH_MESSAGES.includes(channel.type)) {
    return fail('The channel has no messages of its own.', 'Choose a text channel or a thread.');
  }
  const missing = await missingPermissions(channel, facts);
  if (missing.length > 0) {
    return fail(
      `The bot lacks permissions in the channel: ${missing.join(', ')}.`,
      `Give the bot the permissions ${missing.join(', ')} in the settings of the channel or of its role.`,
    );
  }
  return { name, ok: true, detail: `The bot can read and write in ${channel.name}.` };
}

async function fetchChannel(
  rest: REST,
  channelId: string,
): Promise<APIChannel | 'unknown' | 'no access'> {
  try {
    return (await rest.get(`/channels/${channelId}`)) as APIChannel;
  } catch (error) {
    const code = apiErrorCode(error);
    if (code === API_ERROR.unknownChannel) return 'unknown';
    if (code === API_ERROR.missingAccess) return 'no access';
    throw error;
  }
}

async function missingPermissions(
  channel: APIChannel,
  { rest, fetchGuild, botId }: Facts,
): Promise<string[]> {
  const guild =
    'guild_id' in channel && channel.guild_id ? await fetchGuild(channel.guild_id) : undefined;
  if (!guild) return NEEDED_PERMISSIONS.map(([permission]) => permission);
  const isThread = THREADS.includes(channel.type);
  // A thread has the overwrites of its channel.
  const withOverwrites =
    isThread && 'parent_id' in channel && channel.parent_id
      ? ((await rest.get(`/channels/${channel.parent_id}`)) as APIChannel)
      : channel;
  const overwrites =
    'permission_overwrites' in withOverwrites ? withOverwrites.permission_overwrites : undefined;
  const permissions = channelPermissions({
    guild,
    isThread,
    member: { userId: botId, roleIds: guild.botRoleIds, isTimedOut: guild.isBotTimedOut },
    overwrites: (overwrites ?? []).map(({ id, allow, deny }) => ({
      id,
      allow: BigInt(allow),
      deny: BigInt(deny),
    })),
  });
  return NEEDED_PERMISSIONS.map(([permission, bit]): [string, bigint] =>
    isThread && bit === PERMISSION.sendMessages
      ? ['Send Messages in Threads', PERMISSION.sendMessagesInThreads]
      : [permission, bit],
  )
    .filter(([, bit]) => !has(permissions, bit))
    .map(([permission]) => permission);
}
