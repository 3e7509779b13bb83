import { object } from '@baton/config/values/json';
import { describe, expect, test } from 'vitest';
import { assistant, toolResult } from '../../dialects/claude-stream-json/testing/stage.ts';
import { PermissionHook } from './permission-hook.ts';
import { DialectStage } from './testing/dialect-stage.ts';

const BASH = { command: 'npm test' };
const call = assistant('m1', [{ type: 'tool_use', id: 't1', name: 'Bash', input: BASH }]);

test('registers a hook for every tool, requests settings, and enables sub-agent messages', () => {
  const stage = new DialectStage({
    hook: new PermissionHook({ cwd: '/workspace', trusted: true }),
  });
  stage.dialect.open();
  expect(stage.frames.map(({ request }) => request)).toEqual([
    {
      subtype: 'initialize',
      hooks: { PreToolUse: [{ hookCallbackIds: ['baton'] }] },
      forwardSubagentText: true,
    },
    { subtype: 'get_settings' },
  ]);
});

test('opens without a hook when nothing is to be asked', () => {
  const stage = new DialectStage();
  stage.dialect.open();
  expect(stage.frames.map(({ request }) => request)).toEqual([
    { subtype: 'initialize', forwardSubagentText: true },
  ]);
});

test('sends text and images as one message', () => {
  const stage = new DialectStage({ readImage: () => ({ data: 'AAAA', mimeType: 'image/png' }) });
  stage.dialect.prompt({ text: 'Look.', images: [{ path: 'a.png' }] });
  const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' };
  expect(stage.frames[0]).toMatchObject({
    type: 'user',
    message: {
      role: 'user',
      content: [
        { type: 'image', source },
        { type: 'text', text: 'Look.' },
      ],
    },
  });
});

describe('a permission request', () => {
  test('emits the tool before the message that calls it, and only once', () => {
    const stage = asking('Bash', BASH).say(call);
    expect(stage.all('tool.started')).toHaveLength(1);
    expect(stage.all('permission.requested')[0]).toMatchObject({
      requestId: 'r1',
      callId: 't1',
      tool: 'Bash',
      action: { type: 'command', command: 'npm test' },
      scopes: ['once', 'session', 'always'],
      editable: true,
    });
  });

  test('of a sub-agent has the call that started it as parent', () => {
    const stage = new DialectStage({
      hook: new PermissionHook({ cwd: '/workspace', trusted: true }),
    }).say(
      { type: 'system', subtype: 'task_started', task_id: 'a1', tool_use_id: 't0' },
      asked('Bash', BASH, { agent_id: 'a1' }),
    );
    expect(stage.all('tool.started')[0]?.parentId).toBe('t0');
    expect(stage.all('permission.requested')[0]?.parentId).toBe('t0');
  });

  test('allowed: Claude gets the input back, or the one that was put in its place', () => {
    const stage = asking('Bash', BASH);
    stage.dialect.answer('r1', { decision: 'allow' });
    expect(answerIn(stage)).toEqual({ behavior: 'allow', updatedInput: BASH });
    const edited = asking('Bash', BASH);
    edited.dialect.answer('r1', { decision: 'allow', input: { command: 'npm run lint' } });
    expect(answerIn(edited)).toEqual({
      behavior: 'allow',
      updatedInput: { command: 'npm run lint' },
    });
  });

  test('allowed for longer: the next hook lets the same call pass', () => {
    const stage = asking('Bash', BASH);
    stage.dialect.answer('r1', { decision: 'allow', scope: 'session' });
    stage.say(
      hook('h1', 'Bash', BASH),
      hook('h2', 'Bash', { command: 'other' }),
      hook('h3', 'Agent', {}),
    );
    expect(stage.frames.slice(1).map(({ response }) => response)).toEqual([
      { subtype: 'success', request_id: 'h1', response: decided('allow') },
      { subtype: 'success', request_id: 'h2', response: decided('ask') },
      { subtype: 'success', request_id: 'h3', response: {} },
    ]);
  });

  test('allowed always: Claude gets the rule to store', () => {
    const stage = asking('Bash', BASH);
    stage.dialect.answer('r1', { decision: 'allow', scope: 'always' });
    expect(answerIn(stage)).toMatchObject({
      updatedPermissions: [{ type: 'addRules', destination: 'localSettings' }],
    });
    expect(stage.all('notice')).toMatchObject([{ level: 'info', code: 'config_written' }]);
  });

  test('denied: Claude gets the reason, and the tool is denied', () => {
    const stage = asking('Bash', BASH);
    stage.dialect.answer('r1', { decision: 'deny', reason: 'Not today.' });
    expect(answerIn(stage)).toEqual({ behavior: 'deny', message: 'Not today.' });
    stage.say(toolResult('t1', 'Not today.', {}, { is_error: true }));
    expect(stage.all('tool.completed')[0]?.outcome).toBe('denied');
  });

  test('denied with a stop: Claude ends the turn', () => {
    const stage = asking('Bash', BASH);
    stage.dialect.answer('r1', { decision: 'deny', stop: true });
    expect(answerIn(stage)).toMatchObject({ behavior: 'deny', interrupt: true });
  });

  test('withdrawn by Claude: it is settled, and a late answer is not sent', () => {
    const stage = asking('Bash', BASH).say({ type: 'control_cancel_request', request_id: 'r1' });
    expect(stage.all('permission.resolved')).toEqual([
      { type: 'permission.resolved', requestId: 'r1', decision: 'cancelled', by: 'agent' },
    ]);
    stage.dialect.answer('r1', { decision: 'allow' });
    expect(stage.frames).toEqual([]);
  });

  test('in a recording, the tool result shows the answer', () => {
    const allowed = asking('Bash', BASH).say(toolResult('t1', 'ok'));
    expect(allowed.all('permission.resolved')[0]).toMatchObject({
      decision: 'allow',
      synthetic: true,
    });
    const denied = asking('Bash', BASH).say(toolResult('t1', 'no', {}, { is_error: true }));
    expect(denied.all('permission.resolved')[0]).toMatchObject({
      decision: 'deny',
      synthetic: true,
    });
    expect(denied.all('tool.completed')[0]?.outcome).toBe('denied');
  });
});

describe('a question', () => {
  const options = [{ label: 'Red', description: 'warm' }, { label: 'Blue' }];
  const questions = [
    { question: 'Which colour?', header: 'Colour', options },
    { question: 'Which sizes?', options: [], multiSelect: true },
  ];

  test('keeps its wording, and the answers are sent by question', () => {
    const stage = asking('AskUserQuestion', { questions });
    expect(stage.all('question.requested')[0]?.questions).toEqual([
      {
        id: '1',
        header: 'Colour',
        question: 'Which colour?',
        options,
        multiple: false,
        freeText: true,
      },
      { id: '2', question: 'Which sizes?', options: [], multiple: true, freeText: true },
    ]);
    stage.dialect.answer('r1', { answers: { 1: ['Blue'], 2: ['S', 'M'] } });
    const answers = { 'Which colour?': 'Blue', 'Which sizes?': 'S, M' };
    expect(answerIn(stage)).toEqual({ behavior: 'allow', updatedInput: { questions, answers } });
  });

  test('declined: Claude is told that the user declined', () => {
    const stage = asking('AskUserQuestion', { questions });
    stage.dialect.answer('r1', { declined: true, reason: 'Decide yourself.' });
    expect(answerIn(stage)).toEqual({ behavior: 'deny', message: 'Decide yourself.' });
  });
});

test('a plan needs approval like a permission', () => {
  const stage = asking('ExitPlanMode', { plan: '1. Look' });
  expect(stage.all('permission.requested')[0]?.action).toMatchObject({
    type: 'plan',
    text: '1. Look',
  });
});

test.each(['mcp_message', 'elicitation', 'something_new'])(
  'a request for %s is rejected with a notice, so Claude does not wait',
  (subtype) => {
    const stage = new DialectStage().say({
      type: 'control_request',
      request_id: 'x',
      request: { subtype },
    });
    expect(stage.frames).toEqual([
      {
        type: 'control_response',
        response: { subtype: 'error', request_id: 'x', error: expect.stringContaining(subtype) },
      },
    ]);
    expect(stage.all('notice')[0]).toMatchObject({ level: 'warning', code: 'agent_warning' });
  },
);

test('a hook that is not ours gets an empty answer', () => {
  const request = { subtype: 'hook_callback', callback_id: 'theirs', input: {} };
  const stage = new DialectStage({ hook: new PermissionHook({ cwd: '/', trusted: true }) });
  stage.say({ type: 'control_request', request_id: 'x', request });
  expect(stage.frames[0]?.response).toEqual({ subtype: 'success', request_id: 'x', response: {} });
});

function asking(tool: string, input: object): DialectStage {
  return new DialectStage({ hook: new PermissionHook({ cwd: '/workspace', trusted: true }) }).say(
    asked(tool, input),
  );
}

function asked(tool: string, input: object, more: object = {}): object {
  const request = { subtype: 'can_use_tool', tool_name: tool, input, tool_use_id: 't1', ...more };
  return { type: 'control_request', request_id: 'r1', request };
}

function answerIn(stage: DialectStage): unknown {
  return object(stage.frames.at(-1)?.response).response;
}

function hook(requestId: string, tool: string, input: object): object {
  const call = { tool_name: tool, tool_input: input };
  const request = { subtype: 'hook_callback', callback_id: 'baton', input: call };
  return { type: 'control_request', request_id: requestId, request };
}

function decided(permissionDecision: string): object {
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision } };
}
