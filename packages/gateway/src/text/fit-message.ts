import { shortened } from '@baton/protocol';
import type { ChannelAdapter } from '../channel-adapter.ts';
import { neutralizeMentions } from './mentions.ts';

/** A text as one message: it notifies nobody, and ends where the limit of the platform is. */
export function fitMessage(
  text: string,
  { limits, mentions }: Pick<ChannelAdapter, 'limits' | 'mentions'>,
): string {
  return shortened(neutralizeMentions(text, mentions), limits.messageLength);
}
