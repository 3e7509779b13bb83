import { BatonError } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import type { EventResult } from '../queue/gateway-event.ts';
import { ScriptedChannel, type ScriptedChannelOptions } from '../testing/scripted-channel.ts';
import { EVENT, testTurn } from '../testing/turn.ts';
import { sendAnswer } from './send-answer.ts';

function world(options: ScriptedChannelOptions = {}, sent: string[] = []) {
  const adapter = new ScriptedChannel(options);
  const turn = testTurn(sent);
  const pauses: number[] = [];
  const closing = new AbortController();
  const sleep = async (milliseconds: number) => pauses.push(milliseconds) > 0;
  const send = (result: EventResult) =>
    sendAnswer({ adapter, event: EVENT, turn, sleep }, result, closing.signal);
  const draft = async (text: string) => {
    const message = { text, isDraft: true, replyTo: EVENT.messageId };
    const id = await adapter.send(EVENT.channelId, message, 'turn0');
    sent[0] = id;
    return id;
  };
  return { adapter, turn, pauses, closing, send, draft };
}

function lines(count: number): string {
  return Array.from({ length: count }, (_, index) => `This is line ${index}.`).join('\n');
}

const DOWN = () => new BatonError('provider_error', 'The platform is down.');

describe('an answer', () => {
  test('is a reply to its message, without mentions', async () => {
    const { adapter, send, turn } = world();
    await send({ responseText: 'Hello @everyone' });
    expect(adapter.shown()).toMatchObject([
      { text: 'Hello @\u200beveryone', replyTo: EVENT.messageId, buttons: [], isDraft: false },
    ]);
    expect(turn.sent).toEqual([adapter.shown()[0]?.id]);
  });

  test('takes the place of the draft', async () => {
    const { adapter, send, draft } = world();
    await draft('Hel');
    await send({ responseText: 'Hello' });
    expect(adapter.shown()).toMatchObject([{ text: 'Hello', isDraft: false }]);
  });

  test('takes the place of a draft whose id was lost', async () => {
    const { adapter, send, draft, turn } = world();
    const id = await draft('Hel');
    await turn.storeSent(0, '');
    await send({ responseText: 'Hello' });
    expect(adapter.texts()).toEqual(['Hello']);
    expect(turn.sent).toEqual([id]);
  });

  test('is several messages if it is long, the first of them instead of the draft', async () => {
    const { adapter, send, draft, turn } = world();
    await draft('Hel');
    await send({ responseText: lines(300) });
    const shown = adapter.shown();
    expect(shown.length).toBeGreaterThan(1);
    expect(adapter.texts().join('').replaceAll('\n', '')).toBe(lines(300).replaceAll('\n', ''));
    expect(turn.sent).toEqual(shown.map(({ id }) => id));
  });

  test('is sent from where another process ended', async () => {
    const { adapter, send, turn } = world();
    await send({ responseText: lines(300) });
    const before = adapter.texts();
    await turn.storeSent(1, '');
    await send({ responseText: lines(300) });
    expect(adapter.texts()).toEqual(before);
  });

  test('is a file if it is very long', async () => {
    const { adapter, send } = world();
    const responseText = lines(3000);
    await send({ responseText });
    const [first, last] = adapter.shown();
    expect(adapter.shown()).toHaveLength(2);
    expect(first?.text).toContain('This is line 0.');
    expect(last?.text).toMatch(/^The whole answer \([\d,]+ bytes\) is attached\.$/);
    expect(last?.files).toMatchObject([{ name: 'answer.md', mediaType: 'text/markdown' }]);
    expect(Buffer.from(last?.files[0]?.content ?? []).toString()).toBe(responseText);
  });

  test('is cut off if it is too large for a file', async () => {
    const { adapter, send } = world({ limits: { sentFileBytes: 1000 } });
    await send({ responseText: lines(3000) });
    expect(adapter.texts()).toHaveLength(5);
    expect(adapter.texts().at(-1)).toBe('The rest of the answer is too long for this chat.');
    expect(adapter.shown().flatMap(({ files }) => files)).toEqual([]);
  });

  test('says so if the platform rejects the file', async () => {
    const { adapter, send } = world();
    const { send: sendMessage } = adapter;
    adapter.send = async (channelId, message, nonce) => {
      if (message.files) throw new BatonError('request_rejected', 'The file is too large.');
      return sendMessage.call(adapter, channelId, message, nonce);
    };
    await send({ responseText: lines(3000) });
    expect(adapter.texts()).toHaveLength(2);
    expect(adapter.texts().at(-1)).toBe('The rest of the answer is too long for this chat.');
  });

  test('is sent again if someone has deleted the draft', async () => {
    const { adapter, send, draft, turn } = world();
    adapter.delete(await draft('Hel'));
    await send({ responseText: 'Hello' });
    expect(adapter.texts()).toEqual(['Hello']);
    expect(turn.sent).toEqual([adapter.shown()[0]?.id]);
  });

  test('is repeated, with backoff, until the platform takes it', async () => {
    const { adapter, send, pauses } = world();
    adapter.fail('send', DOWN(), DOWN(), DOWN());
    await send({ responseText: 'Hello' });
    expect(adapter.texts()).toEqual(['Hello']);
    expect(pauses).toEqual([1000, 2000, 4000]);
  });

  test('is not repeated if the platform refuses it, or when the gateway stops', async () => {
    const refused = world();
    refused.adapter.fail('send', new BatonError('forbidden', 'No permission.'));
    await expect(refused.send({ responseText: 'Hello' })).rejects.toThrow('No permission.');
    const stopping = world();
    stopping.adapter.fail('send', DOWN());
    stopping.closing.abort();
    await expect(stopping.send({ responseText: 'Hello' })).rejects.toThrow('down');
    expect([refused, stopping].map(({ pauses }) => pauses)).toEqual([[], []]);
  });

  test('has a retry only when that is offered, on its last message', async () => {
    const offered = world();
    await offered.send({ error: 'The model is overloaded.', offerRetry: true });
    expect(offered.adapter.shown()).toMatchObject([
      {
        text: '⚠️ The model is overloaded.',
        buttons: [{ label: 'Retry', value: `retry:${EVENT.messageId}` }],
      },
    ]);
    const long = world();
    await long.send({ error: lines(300), offerRetry: true });
    expect(long.adapter.shown().map(({ buttons }) => buttons.length)).toEqual([0, 0, 1]);
    const notOffered = world();
    await notOffered.send({ error: 'Not installed.' });
    expect(notOffered.adapter.shown()[0]?.buttons).toEqual([]);
  });

  test('says so if the agent was stopped or gave none', async () => {
    const { adapter, send } = world();
    await send({ error: 'Stopped', offerRetry: false });
    expect(adapter.texts()).toEqual(['Stopped.']);
    const empty = world();
    await empty.send({ responseText: ' \n' });
    expect(empty.adapter.texts()).toEqual(['The agent gave no answer.']);
  });
});
