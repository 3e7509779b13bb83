import { describe, expect, test } from 'vitest';
import type { Json } from '../../normalize/json.ts';
import { ended, item, running, told } from './testing/app-server-stage.ts';

describe('what is said', () => {
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

  test('raw thoughts are a message of their own, empty ones are none', () => {
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

  test('the words of a sub-agent stand under the call that started it', () => {
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
    ['model/rerouted', { fromModel: 'a', toModel: 'b' }, 'model_fallback', 'Codex goes on with b'],
    [
      'account/rateLimits/updated',
      { rateLimits: { primary: { usedPercent: 95 } } },
      'rate_limit',
      '95 %',
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

test('what nobody knows is kept and changes nothing', () => {
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
