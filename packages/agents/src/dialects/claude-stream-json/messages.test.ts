import { describe, expect, test } from 'vitest';
import { assistant, open, piece, readerStage, result, start, text } from './testing/stage.ts';

describe('messages', () => {
  test('pieces and the whole are one message', () => {
    const stage = readerStage().say(
      start('m1'),
      open(0, 'thinking'),
      piece({ type: 'content_block_delta', index: 0, delta: { thinking: 'Hm.' } }),
      assistant('m1', [{ type: 'thinking', thinking: 'Hm.' }]),
      open(1, 'text'),
      text(1, 'Hello '),
      text(1, 'world'),
      assistant('m1', [{ type: 'text', text: 'Hello world' }]),
    );
    expect(stage.drafts.filter(({ type }) => type.startsWith('message.'))).toMatchObject([
      { type: 'message.started', messageId: 'm1:0', kind: 'thinking' },
      { type: 'message.delta', messageId: 'm1:0', text: 'Hm.' },
      { type: 'message.completed', messageId: 'm1:0' },
      { type: 'message.started', messageId: 'm1:1', kind: 'text' },
      { type: 'message.delta', messageId: 'm1:1', text: 'Hello ' },
      { type: 'message.delta', messageId: 'm1:1', text: 'world' },
      { type: 'message.completed', messageId: 'm1:1' },
    ]);
  });

  test('what the pieces missed is added', () => {
    const stage = readerStage().say(start('m1'), open(0, 'text'), text(0, 'Hel'));
    stage.say(assistant('m1', [{ type: 'text', text: 'Hello' }]));
    expect(stage.deltas().map((delta) => delta.text)).toEqual(['Hel', 'lo']);
  });

  test('a truncated stream ends incomplete when another message starts', () => {
    const stage = readerStage().say(start('m1'), open(0, 'text'), text(0, 'Half of'));
    stage.say(assistant('m2', [{ type: 'text', text: 'The whole of it.' }]));
    expect(
      stage.all('message.completed').map((draft) => [draft.messageId, draft.incomplete]),
    ).toEqual([
      ['m1:0', true],
      ['m2:0', undefined],
    ]);
  });

  test('two agents can speak at once', () => {
    const sub = { parent_tool_use_id: 't1' };
    const stage = readerStage().say(start('m1'), open(0, 'text'), text(0, 'Main '));
    stage.say(assistant('m2', [{ type: 'text', text: 'Sub.' }], sub), text(0, 'goes on.'));
    expect(stage.deltas().map(({ parentId, text }) => [parentId, text])).toEqual([
      [undefined, 'Main '],
      ['t1', 'Sub.'],
      [undefined, 'goes on.'],
    ]);
  });

  test('an error message of Claude instead of an answer is the error, not a message', () => {
    const errorMessage = assistant('m1', [{ type: 'text', text: 'Credit balance is too low' }], {
      error: 'billing_error',
    });
    const stage = readerStage().say(errorMessage);
    stage.say(result({ is_error: true, result: 'Credit balance is too low' }));
    expect(stage.all('message.started')).toEqual([]);
    expect(stage.verdicts[0]?.error).toMatchObject({ code: 'quota_exhausted' });
  });
});
