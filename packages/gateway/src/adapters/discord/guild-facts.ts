import type { APIGuild, APIGuildMember, REST } from 'discord.js';
import { API_ERROR, apiErrorCode } from './discord-errors.ts';

/** A server that the bot is a member of. */
type GuildFacts = {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  readonly roles: readonly { readonly id: string; readonly permissions: bigint }[];
  readonly botRoleIds: readonly string[];
  readonly isBotTimedOut: boolean;
};

/** Returns nothing for a server that the bot is not a member of. */
export type FetchGuild = (guildId: string) => Promise<GuildFacts | undefined>;

/** Fetches each server once, however many of its channels are checked. */
export function fetchGuildOnce(rest: REST, botId: string): FetchGuild {
  const guilds = new Map<string, Promise<GuildFacts | undefined>>();
  return (guildId) => {
    const known = guilds.get(guildId) ?? fetchGuild(rest, botId, guildId);
    guilds.set(guildId, known);
    return known;
  };
}

async function fetchGuild(
  rest: REST,
  botId: string,
  guildId: string,
): Promise<GuildFacts | undefined> {
  try {
    const guild = (await rest.get(`/guilds/${guildId}`)) as APIGuild;
    const member = (await rest.get(`/guilds/${guildId}/members/${botId}`)) as APIGuildMember;
    const timedOutUntil = member.communication_disabled_until;
    return {
      id: guild.id,
      name: guild.name,
      ownerId: guild.owner_id,
      roles: guild.roles.map(({ id, permissions }) => ({ id, permissions: BigInt(permissions) })),
      botRoleIds: member.roles,
      isBotTimedOut: Date.parse(timedOutUntil ?? '') > Date.now(),
    };
  } catch (error) {
    const code = apiErrorCode(error);
    if (code === API_ERROR.unknownGuild || code === API_ERROR.missingAccess) return undefined;
    throw error;
  }
}
