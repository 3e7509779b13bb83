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

/** Location of a message, from the caller; the history has no server ids. */
type MessagePlace = {
  guildId: string | undefined;
  /** The channel that a thread belongs to. */
  parentId: string | undefined;
  botId: string;
};

export function toIncomingMessage(
  message: APIMessage,
  { guildId, parentId, botId }: MessagePlace,
): IncomingMessage {
  const isDirect = guildId === undefined;
  return {
    channelId: toGatewayId(message.channel_id),
    messageId: message.id,
    userId: toGatewayId(message.author.id),
    userName: message.author.username,
    parentId: parentId === undefined ? undefined : toGatewayId(parentId),
    guildId: isDirect ? undefined : toGatewayId(guildId),
    isDirect,
    isAddressed: isDirect || parentId !== undefined || isToBot(message, botId),
    text: withoutLeadingMention(message.content, botId),
    files: message.attachments.map(toReceivedFile),
  };
}

function isToBot({ mentions, referenced_message: repliedTo }: APIMessage, botId: string): boolean {
  return mentions.some(({ id }) => id === botId) || repliedTo?.author.id === botId;
}

/** Removes the mention that addresses the bot in a server; it means nothing to the agent. */
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
