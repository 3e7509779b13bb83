import { emptyMessage, invalidForm, tooLarge } from './api-error.ts';
import type { AllowedMentions } from './pings.ts';
import type { ActionRow } from './world.ts';

const MAX_CONTENT = 2000;
const MAX_NONCE = 25;
const MAX_FILES = 10;
const MAX_ROWS = 5;
const MAX_BUTTONS = 5;
const MAX_LABEL = 80;
const MAX_CUSTOM_ID = 100;

/** A file as the bot uploads it. */
export type UploadedFile = { name: string; mediaType: string; content: Uint8Array };

/** The body of a request that creates or changes a message. */
export type MessageBody = {
  content?: string | null;
  nonce?: string | number;
  enforce_nonce?: boolean;
  components?: ActionRow[];
  allowed_mentions?: AllowedMentions;
  message_reference?: { message_id: string; fail_if_not_exists?: boolean };
  flags?: number;
};

/** Throws the error of Discord for a message that breaks one of its rules. */
export function checkMessage(
  body: MessageBody,
  files: readonly UploadedFile[],
  uploadBytes: number,
): void {
  const content = body.content ?? '';
  // In UTF-16 units, which is never fewer than Discord counts.
  if (content.length > MAX_CONTENT) throw tooLong('content', MAX_CONTENT);
  if (String(body.nonce ?? '').length > MAX_NONCE) throw tooLong('nonce', MAX_NONCE);
  checkComponents(body.components ?? []);
  if (files.length > MAX_FILES) throw tooLong('attachments', MAX_FILES);
  if (files.some((file) => file.content.byteLength > uploadBytes)) throw tooLarge();
  if (content.trim() === '' && files.length === 0) throw emptyMessage();
}

function checkComponents(rows: readonly ActionRow[]): void {
  if (rows.length > MAX_ROWS) throw tooLong('components', MAX_ROWS);
  const buttons = rows.flatMap(({ components }) => components);
  for (const { components } of rows) {
    if (components.length === 0 || components.length > MAX_BUTTONS) {
      throw invalidForm('components', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 5 in length.');
    }
  }
  for (const button of buttons) {
    if ((button.label ?? '').length > MAX_LABEL) throw tooLong('components', MAX_LABEL);
    if (button.custom_id.length > MAX_CUSTOM_ID) throw tooLong('components', MAX_CUSTOM_ID);
  }
  if (new Set(buttons.map((button) => button.custom_id)).size < buttons.length) {
    throw invalidForm(
      'components',
      'COMPONENT_CUSTOM_ID_DUPLICATED',
      'Component custom id cannot be duplicated',
    );
  }
}

function tooLong(field: string, max: number) {
  return invalidForm(field, 'BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`);
}
