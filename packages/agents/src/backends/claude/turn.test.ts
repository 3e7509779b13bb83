import { describe, expect, test } from 'vitest';
import {
  assistant,
  piece,
  result,
  toolResult,
} from '../../dialects/claude-stream-json/testing/stage.ts';
import type { LiveParts } from './dialect.ts';
import { DialectStage } from './testing/dialect-stage.ts';

const OWN = { origin: { kind: 'task-notification' }, result: 'By itself.' };
const prompt = { text: 'Go.', images: [] };

test('a result ends the turn of the prompt', () => {
  const stage = prompted();
  stage.say(echo(stage, 0), result());
  expect(stage.verdicts).toMatchObject([{ outcome: 'done', output: 'The answer.' }]);
});

test('a slash command is not echoed but still ends its turn', () => {
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

describe('a turn that Claude starts itself', () => {
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

  test('ends nothing between two prompts, and leaves nothing open', () => {
    const stage = prompted();
    stage.say(echo(stage, 0), result(), assistant('m1', []), result(OWN));
    expect(stage.verdicts).toHaveLength(1);
    expect(stage.dialect.end({ code: 0, stderr: '' })).toBeUndefined();
  });

  test('is the last message of a recording without prompts', () => {
    const stage = new DialectStage().say(result(), assistant('m1', []), result(OWN));
    expect(stage.verdicts.at(-1)).toMatchObject({ outcome: 'done', output: 'By itself.' });
  });
});

describe('steering messages', () => {
  test('is part of the turn when Claude reads it in time', () => {
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

describe('background work', () => {
  test.each([
    ['as older releases tell of it', [], []],
    ['as a list', [tasks('b1')], [tasks()]],
  ])('keeps the turn open until its report, %s', (_name, begin, finish) => {
    const stage = prompted();
    stage.say(echo(stage, 0), ...begin, started('b1'), result({ total_cost_usd: 0.25 }));
    expect(stage.verdicts).toEqual([]);
    stage.say(ended('b1'), ...finish, result({ ...OWN, total_cost_usd: 0.5 }));
    expect(stage.verdicts).toMatchObject([
      { output: 'By itself.', usage: { inputTokens: 20, outputTokens: 10, costUsd: 0.5 } },
    ]);
  });

  test('keeps the turn open until Claude reports that it is idle', () => {
    const stage = prompted();
    stage.say(state('running'), echo(stage, 0), started('b1'), result(), state('idle'));
    stage.say(ended('b1'), state('running'), assistant('m1', []), result(OWN));
    expect(stage.verdicts).toEqual([]);
    expect(stage.say(state('idle')).verdicts).toMatchObject([{ output: 'By itself.' }]);
  });

  test('that ended before the result only waits for Claude', () => {
    const stage = prompted();
    stage.say(state('running'), echo(stage, 0), started('b1'), ended('b1'), result());
    expect(stage.waits).toMatchObject([{ limitMs: 10_000 }]);
    expect(stage.say(state('idle')).verdicts).toMatchObject([{ output: 'The answer.' }]);
    expect(stage.waits.at(-1)).toBeUndefined();
  });

  test('of a call that the turn itself waits for does not count', () => {
    const stage = prompted();
    stage.say(echo(stage, 0), { ...started('b1'), is_backgrounded: false }, result());
    expect(stage.verdicts).toHaveLength(1);
  });

  test('of an earlier prompt is not waited for', () => {
    const stage = prompted({ backgroundMs: 5 });
    stage.say(echo(stage, 0), started('b1'), result());
    stage.waits.at(-1)?.onLimit();
    stage.dialect.prompt(prompt);
    stage.say(result({ result: 'Second.' }));
    expect(stage.verdicts.map(({ output }) => output)).toEqual(['The answer.', 'Second.']);
  });

  test('has a limit while only commands run, and none while a sub-agent does', () => {
    const stage = prompted({ backgroundMs: 5 });
    stage.say(echo(stage, 0), started('a1', 'local_agent'), started('b1'), result());
    expect(stage.waits.map((wait) => wait?.limitMs)).toEqual([undefined]);
    stage.say(ended('a1'), assistant('m1', []));
    expect(stage.waits.at(-1)).toBeUndefined();
    stage.say(result(OWN));
    expect(stage.waits.at(-1)).toMatchObject({ limitMs: 5 });
    stage.waits.at(-1)?.onLimit();
    expect(stage.verdicts).toMatchObject([{ outcome: 'done', output: 'By itself.' }]);
    expect(stage.all('notice').at(-1)).toMatchObject({
      level: 'warning',
      message: 'No longer waiting for background tasks: work b1',
      data: { taskIds: ['b1'] },
    });
  });

  test('is stopped before the input is closed, once', () => {
    const stage = prompted().say(started('a1', 'local_agent'), started('b1'));
    stage.dialect.close();
    stage.dialect.close();
    expect(stage.frames.slice(1).map(({ request }) => request)).toEqual([
      { subtype: 'stop_task', task_id: 'b1' },
    ]);
    expect(stage.all('notice').at(-1)?.message).toContain('ended with the run: work b1');
  });

  test('lets sub-agents finish what they started before the result', () => {
    const sub = { parent_tool_use_id: 't1' };
    const use = { type: 'tool_use', id: 't2', name: 'Bash', input: { command: 'ls' } };
    const stage = prompted();
    stage.say(started('a1', 'local_agent'), assistant('m1', [use], sub), result());
    stage.say(toolResult('t2', 'x', { ...sub, tool_use_result: {} }));
    expect(stage.all('tool.completed')).toMatchObject([
      { callId: 't2', action: { type: 'command', exitCode: 0 }, parentId: 't1' },
    ]);
  });

  test('that dies with Claude is a failure, and its usage counts', () => {
    const stage = prompted();
    stage.say(echo(stage, 0), started('b1'), result());
    expect(stage.dialect.end({ code: null, signal: 'SIGTERM', stderr: '' })).toMatchObject({
      outcome: 'failed',
      error: { code: 'interrupted', message: expect.stringContaining('SIGTERM') },
      usage: { inputTokens: 10 },
    });
  });

  test('is over with a Claude that exits in peace', () => {
    const stage = prompted();
    stage.say(echo(stage, 0), started('b1'), result());
    expect(stage.dialect.end({ code: 0, stderr: '' })).toMatchObject({ output: 'The answer.' });
  });

  test('does not make the usage so far fall', () => {
    const stage = prompted();
    stage.say(echo(stage, 0), started('b1'), result(), ended('b1'));
    const usage = { input_tokens: 1, output_tokens: 0 };
    stage.say(
      piece({ type: 'message_start', message: { id: 'm1', usage } }),
      piece({ type: 'message_delta', usage: { output_tokens: 2 } }),
    );
    expect(stage.all('usage.updated').at(-1)?.usage).toMatchObject({
      inputTokens: 11,
      outputTokens: 7,
    });
  });
});

describe('an interrupt', () => {
  test('of background work alone ends it and then the turn', () => {
    const stage = prompted();
    stage.say(state('running'), echo(stage, 0), started('b1'), result(), state('idle'));
    expect(stage.dialect.interrupt()).toBe(true);
    expect(stage.frames.slice(1).map(({ request }) => request)).toEqual([
      { subtype: 'interrupt' },
      { subtype: 'stop_task', task_id: 'b1' },
    ]);
    stage.say(state('idle'));
    expect(stage.verdicts).toEqual([]);
    stage.say(ended('b1'));
    expect(stage.verdicts).toMatchObject([{ outcome: 'cancelled', usage: { inputTokens: 10 } }]);
  });

  test('after background work does not wait for a report on it', () => {
    const stage = prompted();
    stage.say(state('running'), echo(stage, 0), started('b1'), ended('b1'), result());
    stage.dialect.interrupt();
    expect(stage.verdicts).toEqual([]);
    const { request_id: requestId } = stage.frames.at(-1) ?? {};
    stage.say({
      type: 'control_response',
      response: { subtype: 'success', request_id: requestId },
    });
    expect(stage.verdicts).toMatchObject([{ outcome: 'cancelled' }]);
  });

  test('withdraws what Claude has not read, and ends with the result', () => {
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

  test('that withdraws everything left ends the run immediately', () => {
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

test('cost is what the process had not reported before', () => {
  const stage = prompted().say(result({ total_cost_usd: 0.25 }));
  stage.dialect.prompt(prompt);
  stage.say(result({ total_cost_usd: 0.35 }));
  expect(stage.verdicts.map(({ usage }) => usage?.costUsd)).toEqual([0.25, 0.1]);
});

describe('a limit of turns', () => {
  const spent = { subtype: 'error_max_turns', is_error: true, result: '' };
  const init = { type: 'system', subtype: 'init', session_id: 's', model: 'm' };
  const reply = piece({ type: 'message_delta', delta: {}, usage: { output_tokens: 1 } });

  test('that ends the turn ends the run, though background work or a message would go on', () => {
    const stage = prompted();
    stage.say(echo(stage, 0), started('b1'), result(spent));
    expect(stage.passed).toMatchObject([{ code: 'max_turns' }]);
    const steered = prompted();
    steered.dialect.steer('Also this.');
    steered.say(echo(steered, 0), result(spent));
    expect(steered.passed).toMatchObject([{ code: 'max_turns' }]);
  });

  test('that ends the run by itself needs no stop', () => {
    const stage = prompted();
    stage.say(echo(stage, 0), result(spent));
    expect(stage.passed).toEqual([]);
    expect(stage.verdicts).toMatchObject([{ error: { code: 'max_turns' } }]);
  });

  test('holds for the turns together that background work starts', () => {
    const stage = prompted({ maxTurns: 2 });
    const begun = [started('b1'), started('b2')];
    stage.say(init, echo(stage, 0), ...begun, reply, result(), ended('b1'), init);
    expect(stage.passed).toEqual([]);
    stage.say(reply, result(OWN), init);
    expect(stage.passed).toMatchObject([{ code: 'max_turns' }]);
  });

  test('begins anew with each prompt, and does not count sub-agents', () => {
    const stage = prompted({ maxTurns: 1 });
    const sub = { ...reply, parent_tool_use_id: 't1' };
    stage.say(init, echo(stage, 0), sub, sub, init, reply, result());
    stage.dialect.prompt(prompt);
    stage.say(init, reply, result());
    expect(stage.passed).toEqual([]);
  });
});

function prompted(parts?: LiveParts): DialectStage {
  const stage = new DialectStage(parts);
  stage.dialect.prompt(prompt);
  return stage;
}

function started(id: string, type = 'local_bash'): object {
  const description = `work ${id}`;
  return { type: 'system', subtype: 'task_started', task_id: id, task_type: type, description };
}

function ended(id: string): object {
  return { type: 'system', subtype: 'task_notification', task_id: id, status: 'completed' };
}

function tasks(...ids: string[]): object {
  const list = ids.map((id) => ({ task_id: id, task_type: 'local_bash', description: 'work' }));
  return { type: 'system', subtype: 'background_tasks_changed', tasks: list };
}

function state(name: string): object {
  return { type: 'system', subtype: 'session_state_changed', state: name };
}

function echo(stage: DialectStage, frame: number): object {
  return {
    type: 'user',
    uuid: stage.frames[frame]?.uuid,
    isReplay: true,
    message: { content: 'x' },
  };
}
