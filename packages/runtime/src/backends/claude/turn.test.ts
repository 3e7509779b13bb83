import { describe, expect, test } from 'vitest';
import { assistant, DialectStage, piece, result } from './testing/dialect-stage.ts';

const OWN = { origin: { kind: 'task-notification' }, result: 'By itself.' };
const prompt = { text: 'Go.', images: [] };

test('a result ends the turn of the prompt', () => {
  const stage = prompted();
  stage.say(echo(stage, 0), result());
  expect(stage.verdicts).toMatchObject([{ outcome: 'done', output: 'The answer.' }]);
});

test('a slash command is not echoed and ends its turn all the same', () => {
  expect(prompted().say(result()).verdicts).toHaveLength(1);
});

test('what a sub-agent says after the result opens no turn', () => {
  const sub = { parent_tool_use_id: 't1' };
  const stage = new DialectStage().say(
    result(),
    assistant('m1', [{ type: 'text', text: 'Still here.' }], sub),
    piece({ type: 'message_start', message: { id: 'm2' } }, sub),
  );
  expect(stage.dialect.interrupt()).toBe(false);
  expect(stage.dialect.end({ code: 0, stderr: '' })).toBeUndefined();
  expect(stage.all('message.completed')).toHaveLength(1);
});

describe('a turn that Claude takes by itself', () => {
  test('does not end the prompt that waits behind it', () => {
    const stage = prompted();
    stage.say(assistant('m1', [{ type: 'text', text: 'By itself.' }]), result(OWN));
    expect(stage.verdicts).toEqual([]);
    stage.say(echo(stage, 0), result());
    expect(stage.verdicts).toMatchObject([{ output: 'The answer.' }]);
  });

  test('ends the prompt that it took up on the way', () => {
    const stage = prompted();
    stage.say(echo(stage, 0), result(OWN));
    expect(stage.verdicts).toHaveLength(1);
  });

  test('ends nothing when no prompt was given, and leaves nothing open', () => {
    const stage = new DialectStage().say(assistant('m1', []), result(OWN));
    expect(stage.verdicts).toEqual([]);
    expect(stage.dialect.end({ code: 0, stderr: '' })).toBeUndefined();
  });
});

describe('what is said while Claude works', () => {
  test('is part of the turn when Claude takes it up in time', () => {
    const stage = prompted();
    stage.dialect.steer('Also this.');
    stage.say(echo(stage, 0), echo(stage, 1), result());
    expect(stage.verdicts).toHaveLength(1);
  });

  test('makes one more turn otherwise, and the run consists of both', () => {
    const stage = prompted();
    stage.dialect.steer('Also this.');
    stage.say(echo(stage, 0), result({ total_cost_usd: 0.25 }));
    expect(stage.verdicts).toEqual([]);
    stage.say(echo(stage, 1), result({ result: 'Both.', total_cost_usd: 0.5 }));
    expect(stage.verdicts).toMatchObject([
      { output: 'Both.', usage: { inputTokens: 20, outputTokens: 10, costUsd: 0.5 } },
    ]);
  });

  test('may be a slash command, which is never echoed', () => {
    const stage = prompted();
    stage.dialect.steer('/cost');
    stage.say(echo(stage, 0), result(), result({ result: 'Cheap.' }));
    expect(stage.verdicts).toMatchObject([{ output: 'Cheap.' }]);
  });

  test('does not keep Claude from having ended: the turn before counts', () => {
    const stage = prompted();
    stage.dialect.steer('Also this.');
    stage.say(echo(stage, 0), result());
    expect(stage.dialect.end({ code: 0, stderr: '' })).toMatchObject({ output: 'The answer.' });
  });
});

describe('an interrupt', () => {
  test('takes back what Claude has not heard, and ends with the result', () => {
    const stage = prompted();
    stage.dialect.steer('Also this.');
    stage.say(echo(stage, 0));
    expect(stage.dialect.interrupt()).toBe(true);
    const unheard = stage.frames[1]?.uuid;
    expect(stage.frames.slice(2).map(({ request }) => request)).toEqual([
      { subtype: 'cancel_async_message', message_uuid: unheard },
      { subtype: 'interrupt' },
    ]);
    stage.say(result({ is_error: true, terminal_reason: 'aborted_streaming' }));
    expect(stage.verdicts).toMatchObject([
      { outcome: 'cancelled', error: { code: 'interrupted' } },
    ]);
  });

  test('of a prompt that Claude never came to ends it at once', () => {
    const stage = prompted();
    stage.dialect.interrupt();
    const requestId = stage.frames[1]?.request_id;
    const response = { subtype: 'success', request_id: requestId, response: { cancelled: true } };
    stage.say({ type: 'control_response', response });
    expect(stage.verdicts).toMatchObject([{ outcome: 'cancelled' }]);
    expect(stage.dialect.interrupt()).toBe(false);
  });

  test('after which only what was taken back would have followed ends the run at once', () => {
    const stage = prompted();
    stage.dialect.steer('Also this.');
    stage.say(echo(stage, 0), result());
    stage.dialect.interrupt();
    const { request_id: requestId } = stage.frames[2] ?? {};
    const response = { subtype: 'success', request_id: requestId, response: { cancelled: true } };
    stage.say({ type: 'control_response', response });
    expect(stage.verdicts).toMatchObject([{ outcome: 'cancelled', usage: { inputTokens: 10 } }]);
  });

  test('has nothing to do before the first prompt', () => {
    expect(new DialectStage().dialect.interrupt()).toBe(false);
  });

  test('has nothing to do after the end of the turn', () => {
    const stage = prompted().say(result());
    expect(stage.dialect.interrupt()).toBe(false);
  });
});

test('cost is what the process had not told before', () => {
  const stage = prompted().say(result({ total_cost_usd: 0.25 }));
  stage.dialect.prompt(prompt);
  stage.say(result({ total_cost_usd: 0.35 }));
  expect(stage.verdicts.map(({ usage }) => usage?.costUsd)).toEqual([0.25, 0.1]);
});

function prompted(): DialectStage {
  const stage = new DialectStage();
  stage.dialect.prompt(prompt);
  return stage;
}

function echo(stage: DialectStage, frame: number): object {
  return {
    type: 'user',
    uuid: stage.frames[frame]?.uuid,
    isReplay: true,
    message: { content: 'x' },
  };
}
