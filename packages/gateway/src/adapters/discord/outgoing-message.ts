import { createHash } from 'node:crypto';
import type {
  APIActionRowComponent,
  APIButtonComponentWithCustomId,
  RawFile,
  RESTPatchAPIChannelMessageJSONBody,
  RESTPostAPIChannelMessageJSONBody,
} from 'discord.js';
import type { Button, ButtonStyle, OutgoingMessage, SentFile } from '../../channel-adapter.ts';
import { checkMessageId } from './discord-ids.ts';
import { NONCE_LENGTH } from './discord-limits.ts';

/** Sent with every message and edit: nothing that an agent writes notifies anyone. */
export const NO_MENTIONS = { parse: [], replied_user: false };

const ACTION_ROW = 1;
const BUTTON = 2;
const STYLES: Record<ButtonStyle, 1 | 2 | 4> = { primary: 1, secondary: 2, danger: 4 };

/** The body of a new message. Discord returns the earlier message if it has already got one with this nonce. */
export function toMessageBody(
  message: OutgoingMessage,
  nonce: string,
): RESTPostAPIChannelMessageJSONBody {
  const { replyTo, files = [] } = message;
  return {
    content: message.text,
    nonce: shortNonce(nonce),
    enforce_nonce: true,
    allowed_mentions: NO_MENTIONS,
    components: toActionRows(message.buttons),
    attachments: files.map(({ name }, index) => ({ id: index, filename: name })),
    ...(replyTo !== undefined && {
      message_reference: { message_id: checkMessageId(replyTo), fail_if_not_exists: false },
    }),
  };
}

/** The body of an edit, which replaces text and buttons. */
export function toEditBody(
  message: Pick<OutgoingMessage, 'text' | 'buttons'>,
): RESTPatchAPIChannelMessageJSONBody {
  return {
    content: message.text,
    allowed_mentions: NO_MENTIONS,
    components: toActionRows(message.buttons),
  };
}

export function toRawFiles(files: readonly SentFile[] = []): RawFile[] {
  return files.map(({ name, mediaType, content }) => ({
    name,
    contentType: mediaType,
    data: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
  }));
}

type ActionRow = APIActionRowComponent<APIButtonComponentWithCustomId>;

function toActionRows(rows: OutgoingMessage['buttons'] = []): ActionRow[] {
  return rows
    .filter((buttons) => buttons.length > 0)
    .map((buttons) => ({ type: ACTION_ROW, components: buttons.map(toButton) }));
}

function toButton({ label, value, style }: Button): APIButtonComponentWithCustomId {
  return { type: BUTTON, label, custom_id: value, style: STYLES[style] };
}

function shortNonce(nonce: string): string {
  if (nonce.length <= NONCE_LENGTH) return nonce;
  return createHash('sha256').update(nonce).digest('base64url').slice(0, NONCE_LENGTH);
}
