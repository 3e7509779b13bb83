import type { Json } from '@baton/config/values/json';
import type { RequestAnswer } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import { ended, item, running, told } from './testing/app-server-stage.ts';

describe('requests', () => {
  const COMMAND = { type: 'commandExecution', id: 'call', command: "/bin/bash -lc 'ls'" };
  const ask = (params: Json = {}, id = 0) => ({
    id,
    ...told('item/commandExecution/requestApproval', {
      ...{ turnId: 'turn', itemId: 'call', command: "/bin/bash -lc 'ls'" },
      ...params,
    }),
  });
  const asked = (request: Json = ask()) => {
    const stage = running().say(item('started', COMMAND), request);
    const requestId = stage.all('permission.requested')[0]?.requestId ?? '';
    return { stage, requestId };
  };

  test('the first one has the number 0 and is answered like any other', () => {
    const { stage, requestId } = asked();
    expect(stage.all('permission.requested')[0]).toMatchObject({
      callId: 'call',
      tool: 'command_execution',
      action: { type: 'command', command: 'ls' },
      scopes: ['once', 'session'],
    });
    stage.dialect.answer?.(requestId, { decision: 'allow' });
    expect(stage.sent()).toEqual([{ id: 0, result: { decision: 'accept' } }]);
  });

  test.each([
    [{ decision: 'allow', scope: 'session' }, 'acceptForSession'],
    [
      { decision: 'allow', scope: 'always' },
      { acceptWithExecpolicyAmendment: { execpolicy_amendment: ['ls'] } },
    ],
    [{ decision: 'deny' }, 'decline'],
    [{ decision: 'deny', stop: true }, 'cancel'],
    [{ decision: 'deny', reason: 'The run is being stopped.', by: 'stop' }, 'cancel'],
  ] as const)('%j becomes %j', (answer, decision) => {
    const { stage, requestId } = asked(ask({ proposedExecpolicyAmendment: ['ls'] }));
    stage.dialect.answer?.(requestId, answer);
    expect(stage.sent()).toEqual([{ id: 0, result: { decision } }]);
  });

  test('a reason is said before the refusal', () => {
    const { stage, requestId } = asked();
    stage.dialect.answer?.(requestId, { decision: 'deny', reason: 'No.' });
    expect(stage.sent()).toMatchObject([
      { method: 'turn/steer', params: { input: [{ text: 'Denied: No.' }] } },
      { id: 0, result: { decision: 'decline' } },
    ]);
  });

  test('a denial with stop ends the run as denied', () => {
    const { stage, requestId } = asked();
    stage.dialect.answer?.(requestId, { decision: 'deny', stop: true });
    stage.say(ended('interrupted'));
    expect(stage.verdicts[0]?.error?.code).toBe('permission_denied');
  });

  test('a denial with stop to a sub-agent ends the run too', () => {
    const { stage, requestId } = asked(ask({ threadId: 'child', turnId: 'child turn' }));
    stage.dialect.answer?.(requestId, { decision: 'deny', stop: true });
    expect(stage.sent()).toMatchObject([
      { method: 'turn/interrupt', params: { threadId: 'main', turnId: 'turn' } },
      { id: 0, result: { decision: 'cancel' } },
    ]);
  });

  test.each(['/', '/work', '/work/src', '.git'])(
    'write access below %s is more than the edit, so no mode allows it',
    (grantRoot) => {
      const changes = [{ path: '/work/src/a', kind: { type: 'add' }, diff: 'x' }];
      const stage = running().say(item('started', { type: 'fileChange', id: 'edit', changes }), {
        id: 3,
        ...told('item/fileChange/requestApproval', { turnId: 'turn', itemId: 'edit', grantRoot }),
      });
      expect(stage.all('permission.requested')).toMatchObject([
        { action: { type: 'other', description: `Write access below ${grantRoot}` } },
      ]);
    },
  );

  test('one that Codex withdraws is void', () => {
    const { stage } = asked();
    stage.say(told('serverRequest/resolved', { requestId: 0 }));
    expect(stage.all('permission.resolved')).toMatchObject([
      { decision: 'cancelled', by: 'agent' },
    ]);
  });

  test('one that was answered is not resolved a second time', () => {
    const { stage, requestId } = asked();
    stage.dialect.answer?.(requestId, { decision: 'allow' });
    stage.say(told('serverRequest/resolved', { requestId: 0 }));
    expect(stage.all('permission.resolved')).toEqual([]);
  });

  test('an edit is shown with the changes of its call', () => {
    const changes = [{ path: '/w/a', kind: { type: 'add' }, diff: 'x\n' }];
    const stage = running().say(item('started', { type: 'fileChange', id: 'edit', changes }), {
      id: 0,
      ...told('item/fileChange/requestApproval', { turnId: 'turn', itemId: 'edit' }),
    });
    expect(stage.all('permission.requested')[0]?.action).toMatchObject({
      changes: [{ path: '/w/a', kind: 'add', diff: 'x\n' }],
    });
  });

  test('more permissions are granted or not', () => {
    const permissions = { network: { enabled: true }, fileSystem: null };
    const request = {
      id: 0,
      ...told('item/permissions/requestApproval', { turnId: 'turn', itemId: 'p', permissions }),
    };
    for (const [answer, result] of [
      [
        { decision: 'allow', scope: 'session' },
        { permissions, scope: 'session' },
      ],
      [{ decision: 'deny' }, { permissions: {}, scope: 'turn' }],
    ] as const) {
      const { stage, requestId } = asked(request);
      stage.dialect.answer?.(requestId, answer);
      expect(stage.sent()).toEqual([{ id: 0, result }]);
    }
  });

  test('an MCP tool allowed for the session is not asked for again', () => {
    const call = { type: 'mcpToolCall', server: 's', tool: 't', arguments: { a: 1 } };
    const elicit = (id: number) => ({
      id,
      ...told('mcpServer/elicitation/request', {
        turnId: 'turn',
        serverName: 's',
        mode: 'form',
        message: 'Allow the s MCP server to run tool "t"?',
        _meta: { codex_approval_kind: 'mcp_tool_call', tool_params: { a: 1 } },
      }),
    });
    const stage = running().say(item('started', { ...call, id: 'one' }), elicit(0));
    const [request] = stage.all('permission.requested');
    expect(request).toMatchObject({
      callId: 'one',
      tool: 'mcp__s__t',
      scopes: ['once', 'session'],
    });
    stage.dialect.answer?.(request?.requestId ?? '', { decision: 'allow', scope: 'session' });
    stage.say(item('completed', { ...call, id: 'one' }), item('started', { ...call, id: 'two' }));
    stage.say(elicit(1));
    expect(stage.all('permission.requested')).toHaveLength(1);
    expect(stage.sent().map(({ result }) => result)).toMatchObject([
      { action: 'accept' },
      { action: 'accept' },
    ]);
  });

  test('a question of the agent and its answer', () => {
    const questions = [
      { id: 'q', header: 'H', question: 'Which?', isOther: true, options: [{ label: 'A' }] },
    ];
    const stage = running().say({
      id: 'seven',
      ...told('item/tool/requestUserInput', { turnId: 'turn', itemId: 'call', questions }),
    });
    const [request] = stage.all('question.requested');
    expect(request?.questions).toEqual([
      { id: 'q', header: 'H', question: 'Which?', options: [{ label: 'A' }], freeText: true },
    ]);
    stage.dialect.answer?.(request?.requestId ?? '', { answers: { q: ['A'] } });
    expect(stage.sent()).toEqual([{ id: 'seven', result: { answers: { q: { answers: ['A'] } } } }]);
  });

  test('a form of an MCP server is a set of questions, its answers have their types', () => {
    const requestedSchema = {
      type: 'object',
      properties: {
        name: { type: 'string', title: 'Name' },
        age: { type: 'integer', description: 'How old?' },
        sure: { type: 'boolean' },
        size: { type: 'string', enum: ['S', 'M'] },
      },
    };
    const params = { serverName: 's', mode: 'form', message: 'Please fill in.', requestedSchema };
    const elicit = { id: 0, ...told('mcpServer/elicitation/request', params) };
    const stage = running().say(elicit);
    const [request] = stage.all('question.requested');
    expect(request?.questions.map(({ question }) => question)).toEqual([
      'Please fill in.\nName',
      'How old?',
      'sure',
      'size',
    ]);
    const answers = { name: ['Ada'], age: ['36'], sure: ['true'] };
    stage.dialect.answer?.(request?.requestId ?? '', { answers });
    const content = { name: 'Ada', age: 36, sure: true };
    expect(stage.sent()).toEqual([{ id: 0, result: { action: 'accept', content, _meta: null } }]);
  });

  test.each<[RequestAnswer, string]>([
    [{ answers: { answer: ['Yes'] } }, 'accept'],
    [{ answers: { answer: ['No'] } }, 'decline'],
    [{ declined: true }, 'decline'],
  ])('an address to open, answered with %j, is %s', (answer, action) => {
    const params = { serverName: 's', mode: 'url', message: 'Log in.', url: 'https://x' };
    const stage = running().say({ id: 0, ...told('mcpServer/elicitation/request', params) });
    const [request] = stage.all('question.requested');
    expect(request?.questions[0]?.question).toBe('Log in.\nhttps://x');
    stage.dialect.answer?.(request?.requestId ?? '', answer);
    expect(stage.sent()).toMatchObject([{ result: { action } }]);
  });

  test('an unknown one is rejected immediately, so Codex does not wait', () => {
    const stage = running().say({ id: 0, method: 'item/tool/call', params: {} });
    expect(stage.sent()).toMatchObject([{ id: 0, error: { code: -32601 } }]);
    expect(stage.all('notice')[0]?.message).toContain('item/tool/call');
  });

  test('an answer to nothing is dropped', () => {
    const stage = running();
    stage.dialect.answer?.('nobody:0', { decision: 'allow' });
    expect(stage.sent()).toEqual([]);
  });
});
