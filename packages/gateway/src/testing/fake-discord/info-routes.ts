import { missingAccess, unknownGuild, unknownMember } from './api-error.ts';
import type { Route, Service } from './route.ts';
import { CHANNEL_TYPE, type FakeChannel, type FakeGuild } from './world.ts';

const MESSAGE_CONTENT_LIMITED = 1 << 19;

export const infoRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: /^\/gateway\/bot$/,
    handle: ({ gateway }) => ({
      url: gateway.facts.url,
      shards: 1,
      session_start_limit: {
        total: 1000,
        remaining: 1000,
        reset_after: 14_400_000,
        max_concurrency: 1,
      },
    }),
  },
  {
    method: 'GET',
    path: /^\/users\/@me$/,
    handle: ({ payloads, world }) => payloads.user(world.bot),
  },
  {
    method: 'POST',
    path: /^\/users\/@me\/channels$/,
    handle: (service, { body }) => {
      const { recipient_id: recipientId } = body as { recipient_id: string };
      return service.payloads.channel(directChannel(service.world, recipientId));
    },
  },
  {
    method: 'GET',
    path: /^\/applications\/@me$/,
    handle: ({ settings, world }) => ({
      id: world.applicationId,
      name: world.bot.username,
      flags: settings.messageContent ? MESSAGE_CONTENT_LIMITED : 0,
    }),
  },
  {
    method: 'GET',
    path: /^\/guilds\/(\d+)$/,
    handle: (service, { params: [id = ''] }) => service.payloads.guild(ownGuild(service, id)),
  },
  {
    method: 'GET',
    path: /^\/guilds\/(\d+)\/channels$/,
    handle: (service, { params: [id = ''] }) =>
      channelsOf(service, id)
        .filter(({ parentId }) => parentId === undefined)
        .map((each) => service.payloads.channel(each)),
  },
  {
    method: 'GET',
    path: /^\/guilds\/(\d+)\/threads\/active$/,
    handle: (service, { params: [id = ''] }) => ({
      threads: channelsOf(service, id)
        .filter(({ parentId }) => parentId !== undefined)
        .map((each) => service.payloads.channel(each)),
      members: [],
    }),
  },
  {
    method: 'GET',
    path: /^\/guilds\/(\d+)\/roles$/,
    handle: (service, { params: [id = ''] }) => service.payloads.guild(ownGuild(service, id)).roles,
  },
  {
    method: 'GET',
    path: /^\/guilds\/(\d+)\/members\/(\d+)$/,
    handle(service, { params: [guildId = '', userId = ''] }) {
      const guild = ownGuild(service, guildId);
      const user = service.world.users.get(userId);
      if (!user || !guild.members.has(userId)) throw unknownMember();
      return service.payloads.member(guild, user);
    },
  },
];

/** The direct messages with a user, which exist at most once. */
export function directChannel(world: Service['world'], recipientId: string) {
  const known = [...world.channels.values()].find((each) => each.recipientId === recipientId);
  return known ?? world.addChannel({ type: CHANNEL_TYPE.direct, recipientId });
}

function channelsOf(service: Service, guildId: string): FakeChannel[] {
  const { id } = ownGuild(service, guildId);
  return [...service.world.channels.values()].filter((each) => each.guildId === id);
}

function ownGuild({ world }: Service, guildId: string): FakeGuild {
  const guild = world.guilds.get(guildId);
  if (!guild) throw unknownGuild();
  if (!guild.members.has(world.bot.id)) throw missingAccess();
  return guild;
}
