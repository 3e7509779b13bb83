import type { Json } from '@baton/config/values/json';
import { describe, expect, test } from 'vitest';
import { TurnUsage } from './app-server-events.ts';
import { ended, item, running, told } from './testing/app-server-stage.ts';

describe('messages', () => {
  const delta = (method: string, fields: Json) => told(method, { turnId: 'turn', ...fields });

  test('thoughts come in parts, which are paragraphs', () => {
    const part = (summaryIndex: number, text: string) =>
      delta('item/reasoning/summaryTextDelta', { itemId: 'r', delta: text, summaryIndex });
    const stage = running().say(
      item('started', { type: 'reasoning', id: 'r' }),
      part(0, 'One'),
      part(0, '.'),
      part(1, 'Two.'),
      item('completed', { type: 'reasoning', id: 'r', summary: ['One.', 'Two.'], content: [] }),
    );
    expect(stage.all('message.delta').map(({ text }) => text)).toEqual(['One', '.', '\n\nTwo.']);
    expect(stage.all('message.completed')).toMatchObject([{ text: 'One.\n\nTwo.' }]);
  });

  test('raw reasoning is a separate message, empty reasoning is none', () => {
    const stage = running().say(
      delta('item/reasoning/textDelta', { itemId: 'r', delta: 'Raw.', contentIndex: 0 }),
      item('completed', { type: 'reasoning', id: 'r', summary: [], content: ['Raw.'] }),
      item('started', { type: 'reasoning', id: 's' }),
      item('completed', { type: 'reasoning', id: 's', summary: [], content: [] }),
    );
    expect(stage.all('message.completed')).toMatchObject([{ messageId: 'r:raw', text: 'Raw.' }]);
    expect(stage.all('message.started')).toMatchObject([{ kind: 'thinking' }]);
  });

  test('an answer that broke off is closed before the next try', () => {
    const stage = running().say(
      delta('item/agentMessage/delta', { itemId: 'm', delta: 'Half' }),
      told('error', { error: { message: 'Reconnecting... 1/5' }, willRetry: true }),
    );
    expect(stage.all('message.completed')).toMatchObject([{ messageId: 'm', incomplete: true }]);
    expect(stage.all('notice')).toMatchObject([{ code: 'retry' }]);
  });

  test('the messages of a sub-agent have the call that started it as parent', () => {
    const spawn = { type: 'collabAgentToolCall', id: 'spawn', tool: 'spawnAgent' };
    const stage = running().say(
      item('started', spawn),
      told('turn/started', { threadId: 'child', turn: { id: 'child turn' } }),
      item('completed', { ...spawn, receiverThreadIds: ['child'] }),
      item('completed', { type: 'agentMessage', id: 'm', text: 'Hi.' }, { threadId: 'child' }),
      told('turn/completed', {
        threadId: 'child',
        turn: { id: 'child turn', status: 'failed', error: { message: 'Broke.' } },
      }),
    );
    expect(stage.all('message.started')).toMatchObject([{ parentId: 'spawn' }]);
    expect(stage.all('notice')).toMatchObject([{ message: 'A sub-agent failed: Broke.' }]);
    expect(stage.verdicts).toEqual([]);
  });

  test('sub-agents that still work at the end of the turn are named', () => {
    const child = (id: string, method: string) =>
      told(method, { threadId: id, turn: { id: `turn of ${id}`, status: 'completed' } });
    const stage = running().say(
      child('one', 'turn/started'),
      child('two', 'turn/started'),
      child('one', 'turn/completed'),
      ended('completed'),
    );
    const notices = stage.all('notice').filter(({ code }) => code === 'background_task');
    expect(notices).toMatchObject([
      {
        level: 'warning',
        message: expect.stringContaining('A sub-agent was still working'),
        data: { threads: ['two'] },
      },
    ]);
    expect(stage.verdicts).toMatchObject([{ outcome: 'done' }]);
  });
});

describe('notices', () => {
  test.each([
    ['warning', { message: 'Careful.' }, 'agent_warning', 'Careful.'],
    ['configWarning', { summary: 'Odd.', details: 'Very.' }, 'agent_warning', 'Odd. Very.'],
    ['deprecationNotice', { summary: 'Old.', details: null }, 'deprecation', 'Old.'],
    [
      'mcpServer/startupStatus/updated',
      { name: 's', status: 'failed', error: 'No.' },
      'mcp_server',
      'The MCP server s did not start: No.',
    ],
    [
      'model/rerouted',
      { fromModel: 'a', toModel: 'b' },
      'model_fallback',
      'Codex switched from a to b',
    ],
    [
      'account/rateLimits/updated',
      { rateLimits: { primary: { usedPercent: 95 } } },
      'rate_limit',
      '95%',
    ],
    [
      'account/rateLimits/updated',
      { rateLimits: { rateLimitReachedType: 'rate_limit_reached' } },
      'rate_limit',
      'rate_limit_reached',
    ],
  ])('%s becomes one', (method, params, code, words) => {
    const [notice] = running().say({ method, params }).all('notice');
    expect(notice).toMatchObject({ code, message: expect.stringContaining(words) });
  });

  test.each([
    ['remoteControl/status/changed', {}],
    ['account/rateLimits/updated', { rateLimits: { primary: null, secondary: null } }],
    ['thread/status/changed', { status: { type: 'idle' } }],
    ['turn/diff/updated', { diff: '…' }],
    ['mcpServer/startupStatus/updated', { name: 's', status: 'ready' }],
    [
      'warning',
      { message: 'Under-development features enabled: default_mode_request_user_input. X' },
    ],
  ])('%s with %j says nothing', (method, params) => {
    const stage = running();
    const before = stage.drafts.length;
    stage.say({ method, params });
    expect(stage.drafts).toHaveLength(before);
  });

  test('are not repeated', () => {
    const limits = {
      method: 'account/rateLimits/updated',
      params: { rateLimits: { primary: { usedPercent: 95 } } },
    };
    expect(running().say(limits, limits).all('notice')).toHaveLength(1);
  });
});

test('unknown notifications are kept and change nothing', () => {
  const lines = [
    '{"method":"cut o',
    '{}',
    '{"method":"brand/new","params":{}}',
    '{"method":"constructor"}',
    JSON.stringify(item('started', { type: 'brandNew', id: 'x' })),
  ];
  const stage = running().say(...lines, ended('completed'));
  expect(stage.all('unparsed').map(({ line }) => line)).toEqual(lines);
  expect(stage.verdicts).toMatchObject([{ outcome: 'done' }]);
});

describe('a wait for the network', () => {
  const error = {
    message: 'Reconnecting... waiting for network',
    codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: null } },
    additionalDetails: 'Connection failed: error sending request',
  };
  const waiting = told('error', { error, willRetry: true, turnId: 'turn' });

  test('is the last when it is the fourth in a row', () => {
    const stage = running().say(waiting, waiting, waiting);
    expect(stage.givenUp).toEqual([]);
    stage.say(waiting);
    expect(stage.givenUp).toMatchObject([
      { code: 'network_unreachable', message: expect.stringContaining('error sending request') },
    ]);
    const codes = stage.all('notice').map(({ code }) => code);
    expect(codes).toEqual(['retry', 'retry', 'retry', 'retry']);
  });

  test('is reset after an answer of the model', () => {
    const message = { type: 'agentMessage', id: 'one', text: 'Hello.' };
    const stage = running().say(waiting, waiting, waiting, item('completed', message));
    expect(stage.say(waiting, waiting, waiting).givenUp).toEqual([]);
  });
});

describe('the usage of a turn', () => {
  const count = (threadId: string, turnId: string, total: number, last: number) => ({
    threadId,
    turnId,
    tokenUsage: {
      total: { inputTokens: total },
      last: { inputTokens: last, totalTokens: last },
      modelContextWindow: 1000,
    },
  });

  test('is what its requests consumed, not what the thread had before', () => {
    const usage = new TurnUsage();
    usage.begin('turn');
    usage.add(count('main', 'turn', 500, 100), true);
    usage.add(count('main', 'turn', 700, 200), true);
    expect(usage.usage).toMatchObject({
      inputTokens: 300,
      contextTokens: 200,
      contextWindow: 1000,
    });
  });

  test('includes sub-agents, over all of their turns', () => {
    const usage = new TurnUsage();
    for (const turn of ['turn', 'child 1', 'child 2']) usage.begin(turn);
    usage.add(count('main', 'turn', 100, 100), true);
    usage.add(count('child', 'child 1', 10, 10), false);
    usage.add(count('child', 'child 2', 30, 20), false);
    expect(usage.usage).toMatchObject({ inputTokens: 130, contextTokens: 100 });
  });

  const isFull = {
    threadId: 'main',
    turnId: 'turn',
    tokenUsage: {
      total: { totalTokens: 1000, inputTokens: 0, outputTokens: 0 },
      last: { totalTokens: 900, inputTokens: 0, outputTokens: 0 },
      modelContextWindow: 1000,
    },
  };

  test('is kept when the context is full and the counters of the thread start again', () => {
    const usage = new TurnUsage();
    usage.begin('turn');
    expect(usage.add(isFull, true)).toBe(false);
    expect(usage.usage).toBeUndefined();
    usage.add(count('main', 'turn', 500, 100), true);
    usage.add(count('main', 'turn', 700, 200), true);
    usage.add(isFull, true);
    expect(usage.usage).toMatchObject({ inputTokens: 300 });
    usage.add(count('main', 'turn', 50, 50), true);
    expect(usage.usage).toMatchObject({ inputTokens: 350 });
  });

  test('is unknown when the first request of a turn is not counted', () => {
    const usage = new TurnUsage();
    usage.begin('turn');
    expect(usage.add(count('main', 'turn', 1200, 0), true)).toBe(false);
    expect(usage.usage).toBeUndefined();
  });

  test('ignores the last count of an earlier turn, which a resumed thread repeats', () => {
    const usage = new TurnUsage();
    expect(usage.add(count('main', 'old', 500, 100), true)).toBe(false);
    expect(usage.usage).toBeUndefined();
    usage.begin('turn');
    usage.end('turn');
    expect(usage.add(count('fork', 'turn', 500, 100), false)).toBe(false);
  });
});
