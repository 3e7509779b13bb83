import type { GatewayEvents } from '@baton/store';
import type { EventResult } from './gateway-event.ts';

/** Stored result of a message. */
export type StoredResult = {
  readonly state: 'pending' | 'answered' | 'failed' | 'rejected';
  readonly text?: string | undefined;
  readonly error?: string | undefined;
  readonly canRetry?: boolean | undefined;
};

/** Reads the result of a message; undefined if it was not accepted. */
export async function storedResult(
  events: GatewayEvents,
  channelId: string,
  messageId: string,
): Promise<StoredResult | undefined> {
  const row = await events.get({ channel_id: channelId, message_id: messageId });
  if (!row) return undefined;
  const { state } = row;
  if (state === 'rejected') return { state };
  if (state !== 'answered' && state !== 'failed') return { state: 'pending' };
  const { responseText, error, offerRetry }: EventResult = JSON.parse(row.result ?? '{}');
  return { state, text: responseText, error, canRetry: offerRetry };
}
