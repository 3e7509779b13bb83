import type {
  APIApplicationCommandInteraction,
  APIChannel,
  APIInteraction,
  APIInteractionResponse,
  APIMessageComponentInteraction,
} from 'discord.js';
import type { ButtonPress, IncomingCommand } from '../../channel-adapter.ts';
import type { Sender } from '../../config/access.ts';
import { MENTIONS } from '../../text/mentions.ts';
import { splitMessage } from '../../text/split-message.ts';
import { toGatewayId } from './discord-ids.ts';
import { DISCORD_LIMITS } from './discord-limits.ts';
import { NO_MENTIONS } from './outgoing-message.ts';
import { parentOfThread } from './thread-parents.ts';

// The values of `InteractionType`, `ComponentType`, `InteractionResponseType` and `MessageFlags` that the adapter uses.
const APPLICATION_COMMAND = 2;
const MESSAGE_COMPONENT = 3;
const BUTTON = 2;
const CHAT_INPUT = 1;
const STRING_OPTION = 3;
const CHANNEL_MESSAGE = 4;
const DEFERRED_MESSAGE = 5;
const DEFERRED_UPDATE = 6;
const EPHEMERAL = 64;

const MORE = '\n…';

/** Sends the response to an interaction. */
type Respond = (interaction: APIInteraction, body: APIInteractionResponse) => Promise<void>;
/** Replaces a deferred response. */
type EditResponse = (interaction: APIInteraction, body: ReplyBody) => Promise<void>;
export type ReplyBody = ReturnType<typeof toReply>['data'];

export function isButtonPress(
  interaction: APIInteraction,
): interaction is APIMessageComponentInteraction {
  return interaction.type === MESSAGE_COMPONENT && interaction.data.component_type === BUTTON;
}

export function isCommand(
  interaction: APIInteraction,
): interaction is APIApplicationCommandInteraction {
  return interaction.type === APPLICATION_COMMAND && interaction.data.type === CHAT_INPUT;
}

export function toButtonPress(
  interaction: APIMessageComponentInteraction,
  respond: Respond,
): ButtonPress {
  const respondOnce = once(interaction, respond);
  return {
    ...senderOf(interaction),
    messageId: interaction.message.id,
    value: interaction.data.custom_id,
    acknowledge: (text) =>
      respondOnce(text ? toReply(text, { onlyToUser: true }) : { type: DEFERRED_UPDATE }),
  };
}

/** A command that takes long, such as one that looks for a program, is answered later: Discord shows that it is worked on. */
export function toCommand(
  interaction: APIApplicationCommandInteraction,
  {
    respond,
    editResponse,
    deferMs,
  }: { respond: Respond; editResponse: EditResponse; deferMs: number },
): IncomingCommand {
  const respondOnce = once(interaction, respond);
  let deferred: Promise<void> | undefined;
  const timer = setTimeout(() => {
    deferred = respondOnce({ type: DEFERRED_MESSAGE });
    deferred.catch(() => {});
  }, deferMs);
  return {
    ...senderOf(interaction),
    name: interaction.data.name,
    argument: argumentOf(interaction),
    async respond(text, options) {
      clearTimeout(timer);
      const reply = toReply(text, options);
      if (!deferred) return respondOnce(reply);
      await deferred;
      await editResponse(interaction, reply.data);
    },
  };
}

/** Discord accepts one response; further ones are ignored here. */
function once(
  interaction: APIInteraction,
  respond: Respond,
): (body: APIInteractionResponse) => Promise<void> {
  let responded = false;
  return async (body) => {
    if (responded) return;
    responded = true;
    await respond(interaction, body);
  };
}

function senderOf(interaction: APIInteraction): Sender {
  const { guild_id: guildId } = interaction;
  // In a server, the user is part of the member.
  const user = interaction.member?.user ?? interaction.user;
  const { channel } = interaction;
  const parentId = channel && parentOfThread(channel as APIChannel);
  return {
    userId: toGatewayId(user?.id ?? ''),
    // Not the display name, which anyone can choose to look like another user.
    userName: user?.username,
    channelId: toGatewayId(interaction.channel?.id ?? interaction.channel_id ?? ''),
    parentId: parentId === undefined ? undefined : toGatewayId(parentId),
    guildId: guildId === undefined ? undefined : toGatewayId(guildId),
    isDirect: guildId === undefined,
  };
}

function argumentOf({ data }: APIApplicationCommandInteraction): string {
  if (!('options' in data)) return '';
  for (const option of data.options ?? []) {
    if (option.type === STRING_OPTION) return option.value;
  }
  return '';
}

function toReply(text: string, { onlyToUser = false }: { onlyToUser?: boolean | undefined } = {}) {
  return {
    type: CHANNEL_MESSAGE,
    data: {
      content: truncate(text),
      allowed_mentions: NO_MENTIONS,
      ...(onlyToUser && { flags: EPHEMERAL }),
    },
  };
}

/** A response is one message, so a long text ends where its first message would end. */
function truncate(text: string): string {
  const { messageLength } = DISCORD_LIMITS;
  if (text.length <= messageLength) return text;
  const [first = ''] = splitMessage(text, messageLength - MORE.length, MENTIONS.discord);
  return `${first}${MORE}`;
}
