import { BatonError, delay, retryErrors } from '@baton/protocol';
import type { Button, ChannelAdapter, OutgoingMessage } from '../channel-adapter.ts';
import type { EventResult, GatewayEvent } from '../queue/gateway-event.ts';
import type { Turn } from '../queue/message-queue.ts';
import { retryButton } from '../requests/button-values.ts';
import { neutralizeMentions } from '../text/mentions.ts';
import { splitMessage } from '../text/split-message.ts';

/** A longer answer is attached as a file, after its beginning. */
const MAX_MESSAGES = 5;
const RETRY = { attempts: Number.POSITIVE_INFINITY, baseMs: 1000, maxMs: 60_000 };
const TOO_LONG = 'The rest of the answer is too long for this chat.';

type AnswerPlace = {
  adapter: ChannelAdapter;
  event: GatewayEvent;
  turn: Turn;
  /** Pauses between attempts. */
  sleep?: typeof delay | undefined;
};

/**
 * Sends the result of a message, and repeats that until the platform has taken it or the signal aborts. Messages of this
 * turn that were sent before, such as the draft, are edited.
 */
export async function sendAnswer(
  place: AnswerPlace,
  result: EventResult,
  signal: AbortSignal,
): Promise<void> {
  const answer = messagesOf(place, result);
  const { draftText } = result;
  const draft: OutgoingMessage = { text: draftText ?? '', replyTo: place.event.messageId };
  const messages = draftText === undefined ? answer : [draft, ...answer];
  for (const [index, message] of messages.entries()) {
    if (index > 0) await delay(place.adapter.limits.sendIntervalMs, signal);
    const options = { ...RETRY, signal, sleep: place.sleep };
    await retryErrors(() => put(place, index, message), options).catch((error: unknown) => {
      if (!message.files || !isRefused(error)) throw error;
      // The server may allow less than the platform.
      return retryErrors(() => put(place, index, withoutFiles(message)), options);
    });
  }
}

async function put(
  { adapter, event, turn }: AnswerPlace,
  index: number,
  message: OutgoingMessage,
): Promise<void> {
  const { channelId } = event;
  const earlier = turn.sent[index];
  let nonce = `${turn.id}${index}`;
  if (earlier) {
    try {
      return await adapter.edit(channelId, earlier, message);
    } catch (error) {
      if (!BatonError.is(error) || error.code !== 'not_found') throw error;
      // Someone deleted it. The platform may take the same nonce for the deleted message.
      nonce += 'r';
    }
  }
  const id = await adapter.send(channelId, message, nonce);
  await turn.storeSent(index, id);
  // The platform may have returned an unconfirmed draft instead.
  if (earlier === '') await adapter.edit(channelId, id, message);
}

function isRefused(error: unknown): boolean {
  return BatonError.is(error) && error.code === 'request_rejected';
}

function withoutFiles({ files: _files, ...message }: OutgoingMessage): OutgoingMessage {
  return { ...message, text: TOO_LONG };
}

function messagesOf({ adapter, event }: AnswerPlace, result: EventResult): OutgoingMessage[] {
  const { limits, mentions } = adapter;
  const text = neutralizeMentions(textOf(result), mentions);
  const parts = splitMessage(text, limits.messageLength, mentions);
  const [first = '', ...rest] = parts;
  const replyTo = event.messageId;
  const buttons = result.offerRetry ? [[retryButton(event.messageId)]] : undefined;
  if (parts.length <= MAX_MESSAGES) return withButtons(parts, replyTo, buttons);
  const content = Buffer.from(textOf(result));
  if (content.length > limits.sentFileBytes) {
    const shown = [first, ...rest.slice(0, MAX_MESSAGES - 2)];
    return withButtons([...shown, TOO_LONG], replyTo, buttons);
  }
  const files = [{ name: 'answer.md', mediaType: 'text/markdown', content }];
  const note = `The whole answer (${content.length.toLocaleString('en-US')} bytes) is attached.`;
  return [
    { text: first, replyTo },
    { text: note, replyTo, files, buttons },
  ];
}

function withButtons(
  parts: readonly string[],
  replyTo: string,
  buttons: readonly (readonly Button[])[] | undefined,
): OutgoingMessage[] {
  return parts.map((text, index) => ({
    text,
    replyTo,
    ...(buttons && index === parts.length - 1 ? { buttons } : {}),
  }));
}

function textOf({ responseText = '', error }: EventResult): string {
  if (error !== undefined) return error === 'Stopped' ? 'Stopped.' : `⚠️ ${error}`;
  return responseText.trim() === '' ? 'The agent gave no answer.' : responseText;
}
