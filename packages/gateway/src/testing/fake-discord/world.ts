import type { APIActionRowComponent, APIButtonComponentWithCustomId } from 'discord.js';
import {
  channelPermissions,
  type PermissionOverwrite,
} from '../../adapters/discord/permissions.ts';
import type { Pings } from './pings.ts';
import { Snowflakes } from './snowflakes.ts';

export type FakeUser = { id: string; username: string; bot: boolean };

type FakeRole = { id: string; name: string; permissions: bigint };

export type FakeGuild = {
  id: string;
  name: string;
  ownerId: string;
  roles: FakeRole[];
  /** The roles of each member. */
  members: Map<string, string[]>;
};

/** The types of channels that the stand-in has: text, direct message, public thread. */
export const CHANNEL_TYPE = { text: 0, direct: 1, thread: 11 } as const;

export type FakeChannel = {
  id: string;
  type: (typeof CHANNEL_TYPE)[keyof typeof CHANNEL_TYPE];
  name: string;
  guildId?: string | undefined;
  /** Parent channel of a thread. */
  parentId?: string | undefined;
  createdAt: number;
  /** Recipient of a direct message. */
  recipientId?: string | undefined;
  overwrites: PermissionOverwrite[];
  messages: FakeMessage[];
  typingCount: number;
};

export type FakeAttachment = {
  id: string;
  name: string;
  mediaType: string;
  content: Uint8Array;
  /** File size that Discord reports. */
  size: number;
};

export type ActionRow = APIActionRowComponent<APIButtonComponentWithCustomId>;

export type FakeMessage = {
  id: string;
  channelId: string;
  author: FakeUser;
  /** 0 for messages of users; see `MessageType` of Discord. */
  type: number;
  content: string;
  attachments: FakeAttachment[];
  components: ActionRow[];
  replyTo?: string | undefined;
  nonce?: string | undefined;
  webhookId?: string | undefined;
  pings: Pings;
  /** The earlier texts, the oldest first. */
  earlier: string[];
};

/** Everything that Discord stores. */
export class World {
  readonly ids = new Snowflakes();
  readonly users = new Map<string, FakeUser>();
  readonly guilds = new Map<string, FakeGuild>();
  readonly channels = new Map<string, FakeChannel>();
  readonly attachments = new Map<string, FakeAttachment>();
  readonly bot: FakeUser;
  readonly applicationId: string;
  /** As registered with Discord. */
  commands: { name: string; description: string; options?: unknown[] }[] = [];

  constructor() {
    this.bot = this.addUser({ username: 'baton', bot: true });
    this.applicationId = this.bot.id;
  }

  addUser(facts: Partial<Omit<FakeUser, 'id'>> = {}): FakeUser {
    const id = this.ids.next();
    const user = { id, username: `user-${id}`, bot: false, ...facts };
    this.users.set(id, user);
    return user;
  }

  /** Adds a server whose members have the permissions of the everyone role; the bot is a member by default. */
  addGuild(facts: { permissions: bigint; withBot?: boolean | undefined }): FakeGuild {
    const id = this.ids.next();
    const guild: FakeGuild = {
      id,
      name: `server-${id}`,
      ownerId: this.addUser().id,
      roles: [{ id, name: '@everyone', permissions: facts.permissions }],
      members: new Map((facts.withBot ?? true) ? [[this.bot.id, []]] : []),
    };
    this.guilds.set(id, guild);
    return guild;
  }

  addChannel(
    facts: Pick<FakeChannel, 'type'> &
      Partial<Pick<FakeChannel, 'id' | 'guildId' | 'parentId' | 'recipientId' | 'overwrites'>>,
  ): FakeChannel {
    const { id = this.ids.next() } = facts;
    const channel: FakeChannel = {
      ...{ id, name: `channel-${id}`, overwrites: [], messages: [], typingCount: 0 },
      createdAt: Date.now(),
      ...facts,
    };
    this.channels.set(id, channel);
    return channel;
  }

  /** The permissions of the bot; a direct message has all of them. */
  botPermissions(channel: FakeChannel): bigint {
    if (channel.type === CHANNEL_TYPE.direct) return -1n;
    const guild = this.guilds.get(channel.guildId ?? '');
    const roleIds = guild?.members.get(this.bot.id);
    if (!guild || !roleIds) return 0n;
    const parent = this.channels.get(channel.parentId ?? '') ?? channel;
    return channelPermissions({
      guild,
      member: { userId: this.bot.id, roleIds },
      isThread: channel.type === CHANNEL_TYPE.thread,
      overwrites: parent.overwrites,
    });
  }

  message(messageId: string): FakeMessage | undefined {
    for (const { messages } of this.channels.values()) {
      const found = messages.find(({ id }) => id === messageId);
      if (found) return found;
    }
    return undefined;
  }

  addAttachment(file: Omit<FakeAttachment, 'id' | 'size'> & { size?: number | undefined }) {
    const id = this.ids.next();
    const attachment = { ...file, id, size: file.size ?? file.content.byteLength };
    this.attachments.set(id, attachment);
    return attachment;
  }

  addMessage(facts: Omit<FakeMessage, 'id' | 'earlier'>): FakeMessage {
    const message = { ...facts, id: this.ids.next(), earlier: [] };
    this.channels.get(facts.channelId)?.messages.push(message);
    return message;
  }
}
