import type {
  FakeAttachment,
  FakeChannel,
  FakeGuild,
  FakeMessage,
  FakeUser,
  World,
} from './world.ts';

const DISCORD_EPOCH = 1_420_070_400_000n;

/** Objects as Discord sends them, in responses and events. */
export class Payloads {
  #world: World;
  #origin: string;

  constructor(world: World, origin: string) {
    this.#world = world;
    this.#origin = origin;
  }

  user({ id, username, bot }: FakeUser) {
    return {
      id,
      username,
      discriminator: '0',
      global_name: username,
      avatar: null,
      bot,
      system: false,
      flags: 0,
      public_flags: 0,
    };
  }

  channel(channel: FakeChannel) {
    const { id, type, name, guildId, parentId = null, recipientId } = channel;
    const lastMessageId = channel.messages.at(-1)?.id ?? null;
    const recipient = this.#world.users.get(recipientId ?? '');
    if (recipient) {
      return { id, type, last_message_id: lastMessageId, recipients: [this.user(recipient)] };
    }
    return {
      id,
      type,
      name,
      guild_id: guildId,
      parent_id: parentId,
      last_message_id: lastMessageId,
      ...(parentId === null ? {} : threadFacts(channel)),
      position: 0,
      nsfw: false,
      topic: null,
      rate_limit_per_user: 0,
      permission_overwrites: channel.overwrites.map((overwrite) => ({
        id: overwrite.id,
        type: this.#world.users.has(overwrite.id) ? 1 : 0,
        allow: String(overwrite.allow),
        deny: String(overwrite.deny),
      })),
    };
  }

  guild(guild: FakeGuild) {
    return {
      id: guild.id,
      name: guild.name,
      icon: null,
      owner_id: guild.ownerId,
      roles: guild.roles.map((role, position) => ({
        id: role.id,
        name: role.name,
        permissions: String(role.permissions),
        color: 0,
        colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
        hoist: false,
        managed: false,
        mentionable: false,
        position,
        flags: 0,
      })),
      emojis: [],
      stickers: [],
      features: [],
      premium_tier: 0,
      nsfw_level: 0,
      mfa_level: 0,
      verification_level: 0,
      default_message_notifications: 0,
      explicit_content_filter: 0,
      preferred_locale: 'en-US',
      system_channel_flags: 0,
      afk_timeout: 300,
    };
  }

  /** The event with which a server becomes available. */
  guildCreate(guild: FakeGuild) {
    const channels = [...this.#world.channels.values()].filter(
      ({ guildId }) => guildId === guild.id,
    );
    return {
      ...this.guild(guild),
      joined_at: new Date(0).toISOString(),
      large: false,
      unavailable: false,
      member_count: guild.members.size,
      members: guild.members.has(this.#world.bot.id) ? [this.member(guild, this.#world.bot)] : [],
      channels: channels.filter(({ parentId }) => !parentId).map((each) => this.channel(each)),
      threads: channels.filter(({ parentId }) => parentId).map((each) => this.channel(each)),
      presences: [],
      voice_states: [],
      stage_instances: [],
      guild_scheduled_events: [],
      soundboard_sounds: [],
    };
  }

  member(guild: FakeGuild, user: FakeUser) {
    return { ...this.memberWithoutUser(guild, user), user: this.user(user) };
  }

  memberWithoutUser(guild: FakeGuild, { id }: FakeUser) {
    return {
      roles: guild.members.get(id) ?? [],
      joined_at: new Date(0).toISOString(),
      nick: null,
      deaf: false,
      mute: false,
      flags: 0,
      communication_disabled_until: null,
    };
  }

  /** `readable` is false for an app without the Message Content intent. */
  message(message: FakeMessage, { readable }: { readable: boolean }) {
    const sentAt = Number((BigInt(message.id) >> 22n) + DISCORD_EPOCH);
    return {
      id: message.id,
      channel_id: message.channelId,
      author: this.user(message.author),
      type: message.type,
      content: readable ? message.content : '',
      attachments: readable
        ? message.attachments.map((each) => this.#attachment(message, each))
        : [],
      components: readable ? message.components : [],
      embeds: [],
      mentions: message.pings.users.flatMap((id) => {
        const user = this.#world.users.get(id);
        return user ? [this.user(user)] : [];
      }),
      mention_roles: message.pings.roles,
      mention_everyone: message.pings.everyone,
      timestamp: new Date(sentAt).toISOString(),
      edited_timestamp: message.earlier.length > 0 ? new Date().toISOString() : null,
      tts: false,
      pinned: false,
      flags: 0,
      ...(message.nonce !== undefined && { nonce: message.nonce }),
      ...(message.webhookId !== undefined && { webhook_id: message.webhookId }),
      ...(message.replyTo !== undefined && {
        message_reference: { type: 0, channel_id: message.channelId, message_id: message.replyTo },
      }),
    };
  }

  #attachment({ channelId }: FakeMessage, { id, name, mediaType, size }: FakeAttachment) {
    const url = `${this.#origin}/attachments/${channelId}/${id}/${encodeURIComponent(name)}`;
    return { id, filename: name, content_type: mediaType, size, url, proxy_url: url };
  }
}

/** Returns the fields that only threads have. */
function threadFacts({ createdAt }: FakeChannel) {
  return {
    member_count: 2,
    message_count: 0,
    total_message_sent: 0,
    thread_metadata: {
      archived: false,
      auto_archive_duration: 1440,
      archive_timestamp: new Date(0).toISOString(),
      create_timestamp: new Date(createdAt).toISOString(),
      locked: false,
    },
  };
}
