import { shortened } from '@baton/protocol';
import { type MentionRules, neutralizeMentions } from './mentions.ts';

/** Rules of a platform for the text of one message. */
type MessageRules = {
  readonly limits: { readonly messageLength: number };
  readonly mentions: MentionRules;
};

/** A text as one message: it notifies nobody, and ends where the limit of the platform is. */
export function fitMessage(text: string, { limits, mentions }: MessageRules): string {
  return shortened(neutralizeMentions(text, mentions), limits.messageLength);
}
