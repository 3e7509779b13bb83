import type { APIChannel, REST, RESTGetAPIGuildThreadsResult } from 'discord.js';
import type { AccessRules } from '../../config/access.ts';
import { PLATFORM, toSnowflake } from './discord-ids.ts';

/** Before every message. */
const NO_MESSAGE = '0';

/** The last message of each channel and thread of the allowed servers, and of the allowed channels. */
export async function channelHeads(
  rest: REST,
  { guilds, channels }: Pick<AccessRules, 'guilds' | 'channels'>,
  onProblem: (id: string, error: unknown) => void,
): Promise<Map<string, string>> {
  const heads = new Map<string, string>();
  const add = (found: readonly APIChannel[]) => {
    for (const channel of found) {
      if (!('last_message_id' in channel)) continue;
      heads.set(`${PLATFORM}:${channel.id}`, channel.last_message_id ?? NO_MESSAGE);
    }
  };
  const attempt = async (id: string, act: () => Promise<void>) => {
    if (!id.startsWith(`${PLATFORM}:`)) return;
    await act().catch((error: unknown) => onProblem(id, error));
  };
  for (const id of guilds) {
    await attempt(id, async () => {
      const guild = `/guilds/${toSnowflake(id)}` as const;
      add((await rest.get(`${guild}/channels`)) as APIChannel[]);
      const active = await rest.get(`${guild}/threads/active`);
      add((active as RESTGetAPIGuildThreadsResult).threads);
    });
  }
  for (const id of channels) {
    if (heads.has(id)) continue;
    await attempt(id, async () => {
      add([(await rest.get(`/channels/${toSnowflake(id)}`)) as APIChannel]);
    });
  }
  return heads;
}
