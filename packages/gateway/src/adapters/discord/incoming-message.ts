import type { APIAttachment, APIMessage } from 'discord.js';
import type { IncomingMessage } from '../../channel-adapter.ts';
import type { ReceivedFile } from '../../queue/gateway-event.ts';
import { toGatewayId } from './discord-ids.ts';

/** `MessageType.Default` and `MessageType.Reply`: the others are system messages and messages of bots. */
const WRITTEN_BY_USERS: readonly number[] = [0, 19];

/** Messages of bots (including this one), webhooks and Discord itself get no answer. */
export function isFromPerson({ author, type, webhook_id }: APIMessage): boolean {
  if (author.bot || author.system || webhook_id !== undefined) return false;
  return WRITTEN_BY_USERS.includes(type);
}

/** The history has no server ids, so the caller knows the server of the channel. */
export function toIncomingMessage(
  message: APIMessage,
  place: { guildId: string | undefined; botId: string },
): IncomingMessage {
  return {
    channelId: toGatewayId(message.channel_id),
    messageId: message.id,
    userId: toGatewayId(message.author.id),
    userName: message.author.username,
    guildId: place.guildId === undefined ? undefined : toGatewayId(place.guildId),
    isDirect: place.guildId === undefined,
    text: withoutLeadingMention(message.content, place.botId),
    files: message.attachments.map(toReceivedFile),
  };
}

/** In a server, people address the bot with a mention. It means nothing to the agent. */
function withoutLeadingMention(text: string, botId: string): string {
  return text.replace(new RegExp(`^\\s*<@!?${botId}>\\s*`), '');
}

function toReceivedFile({ url, filename, content_type, size }: APIAttachment): ReceivedFile {
  return {
    source: url,
    name: filename,
    mediaType: content_type ?? 'application/octet-stream',
    bytes: size,
  };
}
