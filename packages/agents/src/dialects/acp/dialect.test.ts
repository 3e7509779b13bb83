import type { Json } from '@baton/config/values/json';
import { describe, expect, test } from 'vitest';
import { heapInUse } from '../../testing/memory.ts';
import { StreamStage } from '../claude-stream-json/testing/stage.ts';
import type { AcpAgent, AcpSession } from './agent.ts';
import { AcpDialect } from './dialect.ts';

const INITIALIZED = {
  protocolVersion: 1,
  agentInfo: { name: 'agent', version: '1.2.3' },
  agentCapabilities: { loadSession: true },
};
const SESSION: AcpSession = {
  cwd: '/w',
  mcpServers: [],
  readImage: (image) => ('data' in image ? image : { data: 'AA==', mimeType: 'image/png' }),
};
const OPTIONS = [
  { optionId: 'a', name: 'Always', kind: 'allow_always' },
  { optionId: 'o', name: 'Once', kind: 'allow_once' },
  { optionId: 'n', name: 'No', kind: 'reject_once' },
];

class AcpStage extends StreamStage<AcpDialect> {
  constructor(session: Partial<AcpSession> | undefined = {}, agent: Partial<AcpAgent> = {}) {
    super((out) => new AcpDialect(out, { label: 'Agent', ...agent }, { ...SESSION, ...session }));
  }

  /** Answers the last request of ours. */
  respond(result: Json): this {
    return this.say({ jsonrpc: '2.0', id: this.frames.at(-1)?.id, result });
  }

  fail(error: Json): this {
    return this.say({ jsonrpc: '2.0', id: this.frames.at(-1)?.id, error });
  }

  update(sessionUpdate: string, fields: Json): this {
    const update = { sessionUpdate, ...fields };
    return this.say({ method: 'session/update', params: { sessionId: 's', update } });
  }

  ask(toolCall: Json, options: Json[] = OPTIONS, id = 0): string {
    const params = { sessionId: 's', toolCall, options };
    this.say({ id, method: 'session/request_permission', params });
    return this.all('permission.requested').at(-1)?.requestId ?? '';
  }
}

/** A stage whose agent is at work on a prompt. */
function prompted(session?: Partial<AcpSession>, agent?: Partial<AcpAgent>): AcpStage {
  const stage = new AcpStage(session, agent);
  stage.dialect.open();
  stage.dialect.prompt({ text: 'Go.', images: [] });
  return stage.respond(INITIALIZED).respond({ sessionId: 's' });
}

const sent = (stage: AcpStage) => stage.frames.map(({ method, params }) => [method, params]);
const text = (words: string) => ({ content: { type: 'text', text: words } });

describe('the handshake', () => {
  test('initializes, opens a session and sends the prompt', () => {
    const stage = prompted();
    expect(sent(stage)).toMatchObject([
      ['initialize', { protocolVersion: 1, clientCapabilities: { terminal: false } }],
      ['session/new', { cwd: '/w', mcpServers: [] }],
      ['session/prompt', { sessionId: 's', prompt: [{ type: 'text', text: 'Go.' }] }],
    ]);
    expect(stage.all('run.identified')[0]).toMatchObject({
      nativeSessionId: 's',
      version: '1.2.3',
    });
  });

  test('announces neither files nor a terminal', () => {
    const stage = new AcpStage();
    stage.dialect.open();
    expect(stage.frames[0]?.params).toMatchObject({
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    });
  });

  test('with an agent of another version fails before a session is opened', () => {
    const stage = new AcpStage();
    stage.dialect.open();
    stage.dialect.prompt({ text: 'Go.', images: [] });
    stage.respond({ protocolVersion: 2 });
    expect(stage.verdicts).toMatchObject([{ error: { code: 'capability_missing' } }]);
    expect(stage.frames).toHaveLength(1);
  });

  test('logs in when the agent wants it, once', () => {
    const stage = new AcpStage({ authMethod: 'key' });
    stage.dialect.open();
    stage.dialect.prompt({ text: 'Go.', images: [] });
    stage.respond(INITIALIZED).fail({ code: -32000, message: 'Log in first.' });
    expect(stage.frames.at(-1)).toMatchObject({
      method: 'authenticate',
      params: { methodId: 'key' },
    });
    stage.respond({}).fail({ code: -32000, message: 'Still not.' });
    expect(stage.verdicts).toMatchObject([
      { error: { code: 'auth_missing', message: 'Still not.' } },
    ]);
  });

  test('has the hint of the rule that fits', () => {
    const stage = new AcpStage({}, { words: [[/No key/, 'auth_missing', 'Set X_KEY.']] });
    stage.dialect.open();
    stage.dialect.prompt({ text: 'Go.', images: [] });
    stage.respond({ ...INITIALIZED, authMethods: [{ id: 'x', name: 'Log in with X' }] });
    stage.fail({ code: -32000, message: 'No key.' });
    expect(stage.verdicts[0]?.error).toMatchObject({ code: 'auth_missing', hint: 'Set X_KEY.' });
  });

  test('without a way to log in names those of the agent', () => {
    const stage = new AcpStage();
    stage.dialect.open();
    stage.dialect.prompt({ text: 'Go.', images: [] });
    stage.respond({ ...INITIALIZED, authMethods: [{ id: 'x', name: 'Log in with X' }] });
    stage.fail({ code: -32000, message: 'No key.' });
    expect(stage.verdicts[0]?.error).toMatchObject({
      code: 'auth_missing',
      hint: 'Log in with the agent itself: Log in with X.',
    });
  });

  test.each([
    [{ resume: 'old' }, { loadSession: true }, 'session/load'],
    [
      { resume: 'old' },
      { loadSession: true, sessionCapabilities: { resume: {} } },
      'session/resume',
    ],
    [{ resume: 'old', fork: true }, { sessionCapabilities: { fork: {} } }, 'session/fork'],
  ])('of %j with %j asks for %s', (session, agentCapabilities, method) => {
    const stage = new AcpStage(session);
    stage.dialect.open();
    stage.respond({ ...INITIALIZED, agentCapabilities });
    expect(stage.frames.at(-1)).toMatchObject({ method, params: { sessionId: 'old' } });
  });

  test('of a session that the agent cannot resume fails', () => {
    const stage = new AcpStage({ resume: 'old' });
    stage.dialect.open();
    stage.dialect.prompt({ text: 'Go.', images: [] });
    stage.respond({ protocolVersion: 1 });
    expect(stage.verdicts).toMatchObject([{ error: { code: 'capability_missing' } }]);
  });

  test('sets the mode and the model before the prompt', () => {
    const stage = new AcpStage({ mode: 'yolo', model: 'big' });
    stage.dialect.open();
    stage.dialect.prompt({ text: 'Go.', images: [] });
    stage.respond(INITIALIZED).respond({
      sessionId: 's',
      modes: { currentModeId: 'default', availableModes: [{ id: 'default' }, { id: 'yolo' }] },
      configOptions: [{ id: 'm', category: 'model', currentValue: 'small' }],
    });
    stage.respond({}).respond({});
    expect(sent(stage).slice(2)).toMatchObject([
      ['session/set_mode', { sessionId: 's', modeId: 'yolo' }],
      ['session/set_config_option', { sessionId: 's', configId: 'm', value: 'big' }],
      ['session/prompt', {}],
    ]);
    expect(stage.all('run.identified').at(-1)).toMatchObject({ model: 'big' });
  });

  test('fails when the agent does not have the mode that keeps the permissions', () => {
    const stage = new AcpStage({ mode: 'ask-me' });
    stage.dialect.open();
    stage.dialect.prompt({ text: 'Go.', images: [] });
    stage.respond(INITIALIZED).respond({ sessionId: 's' });
    expect(stage.verdicts).toMatchObject([
      { error: { code: 'capability_missing', message: 'Agent does not have the mode "ask-me".' } },
    ]);
  });
});

describe('MCP servers', () => {
  const mcpServers = [
    { name: 'echo', command: 'echo', args: [], env: [] },
    { type: 'http', name: 'net', url: 'http://127.0.0.1:1/mcp', headers: [] },
  ];
  const notices = (servers: Json[], agent: Partial<AcpAgent>) =>
    prompted({ mcpServers: servers }, agent).all('notice');

  test('that the agent is known to ignore are named in a warning, once', () => {
    expect(notices(mcpServers, { ignoresMcpPrograms: true })).toMatchObject([
      {
        level: 'warning',
        code: 'mcp_server',
        message: expect.stringMatching(/ignores .*: echo\./),
      },
    ]);
  });

  test('that the agent takes need no word', () => {
    expect(notices(mcpServers, {})).toEqual([]);
    expect(notices(mcpServers.slice(1), { ignoresMcpPrograms: true })).toEqual([]);
  });
});

describe('a turn of an agent that tells its errors as text', () => {
  const agent = { isErrorText: (words: string) => words.startsWith('Error: ') };

  test.each([
    ['Error: Authentication failed with provider x.', 'auth_missing'],
    ['Error: 429 Too many requests', 'rate_limited'],
    ['Error: The stream broke off.', 'agent_failed'],
  ])('fails with the words and their code: %s', (words, code) => {
    const stage = prompted({}, agent);
    stage.update('agent_message_chunk', text(words)).respond({ stopReason: 'end_turn' });
    expect(stage.verdicts).toMatchObject([
      { outcome: 'failed', error: { code, message: words.slice(7) } },
    ]);
  });

  test('is done when the model has answered, whatever it said', () => {
    const stage = prompted({}, agent);
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
    stage.update('agent_message_chunk', text('Error: is a word.'));
    stage.respond({ stopReason: 'end_turn', usage });
    expect(stage.verdicts).toMatchObject([{ outcome: 'done' }]);
  });
});

describe('a turn', () => {
  test('consists of thoughts, words and the reason for its end', () => {
    const stage = prompted();
    stage.update('agent_thought_chunk', text('Hm.'));
    stage.update('agent_message_chunk', text('Hel')).update('agent_message_chunk', text('lo.'));
    stage.respond({ stopReason: 'end_turn', usage: { inputTokens: 3, cachedReadTokens: 4 } });
    expect(stage.all('message.started').map(({ kind }) => kind)).toEqual(['thinking', 'text']);
    expect(stage.deltas().map((delta) => delta.text)).toEqual(['Hm.', 'Hel', 'lo.']);
    expect(stage.verdicts).toMatchObject([
      { outcome: 'done', usage: { inputTokens: 7, cachedInputTokens: 4 } },
    ]);
  });

  test.each([
    ['refusal', 'failed', 'refused'],
    ['max_tokens', 'failed', 'output_limit'],
    ['max_turn_requests', 'failed', 'max_turns'],
    ['cancelled', 'cancelled', 'interrupted'],
  ])('that ends with %s is %s', (stopReason, outcome, code) => {
    const stage = prompted().respond({ stopReason });
    expect(stage.verdicts).toMatchObject([{ outcome, error: { code } }]);
  });

  test.each([
    [
      { code: 401, message: '{"error":{"code":401,"message":"Bad key"}}' },
      'auth_missing',
      'Bad key',
    ],
    [
      { code: -32603, message: 'Internal error', data: { details: 'Rate limit' } },
      'rate_limited',
      'Rate limit',
    ],
    [
      { code: -32603, message: 'Internal error: No such thing' },
      'agent_failed',
      'Internal error: No such thing',
    ],
  ])('that fails with %j', (error, code, message) => {
    expect(prompted().fail(error).verdicts).toMatchObject([{ error: { code, message } }]);
  });

  test('does not show what the agent replays of a session that it loads', () => {
    const stage = new AcpStage({ resume: 'old' });
    stage.dialect.open();
    stage.dialect.prompt({ text: 'Go.', images: [] });
    stage.respond(INITIALIZED);
    const modes = { currentModeId: 'default', availableModes: [{ id: 'default' }] };
    stage.update('agent_message_chunk', text('Old.')).respond({ modes });
    expect(stage.frames.at(-1)).toMatchObject({ method: 'session/set_mode' });
    stage.update('agent_message_chunk', text('Late.')).update('tool_call', { toolCallId: 'x' });
    stage.respond({}).update('agent_message_chunk', text('New.'));
    expect(stage.deltas().map((delta) => delta.text)).toEqual(['New.']);
    expect(stage.all('tool.started')).toEqual([]);
  });

  test('tells the plan, the cost since the turn before, and what nobody knows', () => {
    const stage = prompted();
    stage.update('usage_update', { used: 5, size: 10, cost: { amount: 2, currency: 'USD' } });
    stage.respond({ stopReason: 'end_turn' });
    stage.dialect.prompt({ text: 'More.', images: [] });
    stage.update('plan', { entries: [{ content: 'Think', status: 'in_progress' }] });
    stage.update('usage_update', { used: 6, size: 10, cost: { amount: 5, currency: 'USD' } });
    stage.update('brand_new', { x: 1 });
    stage.respond({ stopReason: 'end_turn' });
    expect(stage.all('plan.updated')).toMatchObject([{ entries: [{ text: 'Think' }] }]);
    expect(stage.verdicts.map(({ usage }) => usage?.costUsd)).toEqual([2, 3]);
    expect(stage.all('unparsed')[0]?.line).toContain('brand_new');
  });

  test('of a sub-agent belongs to the call that started it', () => {
    const stage = prompted();
    const meta = { _meta: { vendor: { parentToolUseId: 'boss' } } };
    stage.update('tool_call', { toolCallId: 't', title: 'ls', kind: 'execute', ...meta });
    stage.update('agent_message_chunk', { ...text('Sub.'), ...meta });
    stage.update('agent_message_chunk', text('Main.'));
    expect(stage.all('tool.started')).toMatchObject([{ parentId: 'boss' }]);
    expect(stage.all('message.started').map(({ parentId }) => parentId)).toEqual([
      'boss',
      undefined,
    ]);
  });

  test('leaves out what the program itself puts among the words of the model', () => {
    const stage = prompted({}, { isOwnText: (words) => words.startsWith('[MODE') });
    stage.update('agent_message_chunk', text('[MODE] x')).update('agent_message_chunk', text('Hi'));
    expect(stage.deltas().map((delta) => delta.text)).toEqual(['Hi']);
  });
});

describe('a tool call', () => {
  test('of a command that exits with 3 is an error', () => {
    const stage = prompted();
    stage.update('tool_call', {
      toolCallId: 't',
      title: 'bash',
      kind: 'execute',
      status: 'pending',
    });
    stage.update('tool_call_update', {
      toolCallId: 't',
      status: 'in_progress',
      rawInput: { command: 'exit 3' },
    });
    stage.update('tool_call_update', {
      toolCallId: 't',
      status: 'completed',
      rawOutput: { output: 'x', metadata: { exit: 3 } },
    });
    expect(stage.all('tool.completed')).toMatchObject([
      { outcome: 'error', output: 'x', action: { command: 'exit 3', exitCode: 3 } },
    ]);
  });

  test('of an edit names every file that its diff, input or locations name', () => {
    const stage = prompted();
    stage.update('tool_call', {
      toolCallId: 't',
      title: 'Edit',
      kind: 'edit',
      content: [{ type: 'diff', path: '/w/a', oldText: 'one\n', newText: 'two\n' }],
      locations: [{ path: '/w/a' }, { path: '/w/.git/hooks/x' }],
    });
    const action = stage.all('tool.started')[0]?.action;
    expect(action).toMatchObject({
      type: 'file.edit',
      changes: [
        { path: '/w/a', kind: 'edit', diff: expect.stringContaining('-one\n+two\n') },
        { path: '/w/.git/hooks/x' },
      ],
    });
  });

  test('of an edit that names no file is nothing that a rule for paths could allow', () => {
    const stage = prompted();
    stage.update('tool_call', { toolCallId: 't', title: 'Edit something', kind: 'edit' });
    expect(stage.all('tool.started')[0]?.action).toEqual({
      type: 'other',
      description: 'Edit something',
    });
  });

  test('may begin with an update, and shows its output as it grows', () => {
    const stage = prompted();
    const output = (words: string) => [{ type: 'content', ...text(words) }];
    const base = { toolCallId: 't', title: 'ls', kind: 'execute', status: 'in_progress' };
    stage.update('tool_call_update', { ...base, content: output('a') });
    stage.update('tool_call_update', { ...base, content: output('ab') });
    stage.update('tool_call_update', { ...base, status: 'completed', content: output('ab') });
    expect(stage.all('tool.started')).toHaveLength(1);
    expect(stage.all('tool.updated').map((each) => each.output)).toEqual(['a', 'b']);
    expect(stage.all('tool.completed')).toMatchObject([{ outcome: 'ok', output: 'ab' }]);
  });
});

test.each<[string, (stage: AcpStage, call: Json) => void]>([
  [
    'a call that ended',
    (stage, call) => stage.update('tool_call', { ...call, status: 'completed' }),
  ],
  [
    'a call that was refused',
    (stage, call) => stage.dialect.answer(stage.ask(call), { decision: 'deny' }),
  ],
  [
    'the output of a call',
    (stage, { toolCallId, rawInput }) =>
      stage.update('tool_call', { toolCallId, status: 'failed', rawOutput: rawInput }),
  ],
])('%s is not kept for the rest of the turn', (_name, make) => {
  const stage = prompted();
  const before = heapInUse();
  for (let index = 0; index < 40; index += 1) {
    const command = `${index} ${'x'.repeat(1_000_000)}`;
    make(stage, { toolCallId: `t${index}`, kind: 'execute', rawInput: { command } });
    stage.drafts.length = 0;
    stage.frames.length = 0;
  }
  expect(heapInUse() - before).toBeLessThan(5_000_000);
});

describe('what a call does', () => {
  const actionFor = (fields: Json) => {
    const stage = prompted();
    stage.ask({ toolCallId: 't', title: 'Do it', ...fields });
    return stage.all('permission.requested')[0]?.action;
  };
  const paths = (fields: Json) => {
    const action = actionFor(fields);
    return action?.type === 'file.edit' ? action.changes.map(({ path }) => path) : action?.type;
  };

  test.each([
    { name: 'write', rawInput: { path: 'ok.txt', command: 'rm -rf /' } },
    { _meta: { agent: { toolName: 'edit' } }, rawInput: { path: 'ok.txt', command: 'rm -rf /' } },
    { name: 'read', rawInput: { path: 'ok.txt', cmd: 'rm -rf /' } },
  ])('a command stays one, whatever its tool is called: %j', (fields) => {
    expect(actionFor({ kind: 'execute', ...fields })).toMatchObject({
      type: 'command',
      command: 'rm -rf /',
    });
  });

  test.each([
    ['fetch', 'fetch'],
    ['read', 'file.read'],
    ['search', 'search'],
    ['other', 'other'],
    ['switch_mode', 'other'],
  ])('its kind %s does not become an edit by the name of its tool', (kind, type) => {
    const rawInput = { path: 'ok.txt', url: 'https://example.com' };
    expect(actionFor({ kind, name: 'write', rawInput })?.type).toBe(type);
  });

  test.each([undefined, 'run', 'EXECUTE', 'Edit', 'terminal', ['edit']])(
    'a kind that is not in the protocol (%j) does not become an edit by the name of its tool',
    (kind) => {
      const rawInput = { path: 'ok.txt', content: 'x', command: 'rm -rf /' };
      for (const name of ['write', 'edit', 'create_file', 'str_replace']) {
        expect(actionFor({ kind, name, rawInput })?.type).not.toBe('file.edit');
        expect(actionFor({ kind, _meta: { x: { toolName: name } }, rawInput })?.type).not.toBe(
          'file.edit',
        );
      }
    },
  );

  test.each(['write', 'edit', 'Write', 'multiedit', 'bash', 'read'])(
    'its title %s, which an MCP server may choose, says nothing about it',
    (title) => {
      const rawInput = { path: 'ok.txt', content: 'x', command: 'ls' };
      expect(actionFor({ title, rawInput })?.type).toBe('other');
      expect(actionFor({ title, rawInput, kind: 'other' })?.type).toBe('other');
    },
  );

  test.each(['move', 'delete', 'edit'])(
    'a call of kind %s is about every path it names',
    (kind) => {
      const locations = [{ path: '/w/ok.txt' }];
      expect(
        paths({ kind, locations, rawInput: { source: 'a', destination: '.git/config' } }),
      ).toEqual(expect.arrayContaining(['/w/ok.txt', 'a', '.git/config']));
      expect(paths({ kind, locations, rawInput: { target_file: '.git/config' } })).toContain(
        '.git/config',
      );
      const both = { file_path: 'ok.txt', path: '.git/config', content: 'x', file_text: 'y' };
      expect(paths({ kind, name: 'write', rawInput: both })).toEqual(['ok.txt', '.git/config']);
    },
  );
});

describe('the name of a call', () => {
  const started = (fields: Json, agent?: Partial<AcpAgent>) => {
    const stage = prompted({}, agent);
    stage.update('tool_call', { toolCallId: 't', ...fields });
    return stage.all('tool.started')[0];
  };

  test.each([
    ['write_agent', { kind: 'edit', title: 'write_agent' }],
    ['server-say', { kind: 'other', title: 'server-say' }],
    ['edit', { kind: 'edit', title: 'Edit notes.txt' }],
    ['execute', { kind: 'execute', title: 'ls', rawInput: { command: 'ls' } }],
    ['Look around', { title: 'Look around' }],
    ['said', { kind: 'other', title: 'title', name: 'said' }],
  ])('is %s for %j', (name, fields) => {
    expect(started(fields)?.name).toBe(name);
  });

  test('does not make it an edit when it is only a title', () => {
    const rawInput = { path: 'ok.txt', content: 'x' };
    expect(started({ kind: 'other', title: 'write', rawInput })?.action.type).toBe('other');
  });
});

describe('a permission request', () => {
  const call = { toolCallId: 't', title: 'rm x', kind: 'execute' };

  test.each([
    [{ decision: 'allow' }, 'o'],
    [{ decision: 'allow', scope: 'session' }, 'a'],
    [{ decision: 'deny' }, 'n'],
  ] as const)('that is answered %j chooses the option by its kind', (answer, optionId) => {
    const stage = prompted();
    stage.dialect.answer(stage.ask(call), answer);
    expect(stage.frames.at(-1)).toMatchObject({
      id: 0,
      result: { outcome: { outcome: 'selected', optionId } },
    });
  });

  test('begins its call, and a refusal ends it', () => {
    const stage = prompted();
    stage.update('agent_message_chunk', text('I will.'));
    const requestId = stage.ask(call);
    expect(stage.drafts.map(({ type }) => type).slice(-3)).toEqual([
      'message.completed',
      'tool.started',
      'permission.requested',
    ]);
    stage.dialect.answer(requestId, { decision: 'deny' });
    expect(stage.all('tool.completed')).toMatchObject([{ callId: 't', outcome: 'denied' }]);
    stage.update('tool_call_update', { toolCallId: 't', status: 'failed' });
    expect(stage.all('tool.completed')).toHaveLength(1);
  });

  test('that was refused and carried out all the same is told of', () => {
    const stage = prompted();
    stage.dialect.answer(stage.ask(call), { decision: 'deny' });
    stage.update('tool_call_update', { toolCallId: 't', status: 'completed' });
    expect(stage.all('notice')).toMatchObject([
      { level: 'warning', message: 'Agent carried out a call that was refused: execute' },
    ]);
  });

  test('that could only be allowed for good is refused', () => {
    const stage = prompted();
    stage.dialect.answer(stage.ask(call, [OPTIONS[0] as Json]), { decision: 'allow' });
    expect(stage.frames.at(-1)?.result).toEqual({ outcome: { outcome: 'cancelled' } });
    expect(stage.all('notice')[0]?.message).toContain('no way to allow this once');
  });

  test('that is refused for good ends the turn, and the run has failed', () => {
    const stage = prompted();
    const prompt = stage.frames.at(-1)?.id;
    stage.dialect.answer(stage.ask(call), { decision: 'deny', stop: true });
    expect(stage.frames.slice(-2)).toMatchObject([
      { id: 0, result: { outcome: { outcome: 'cancelled' } } },
      { method: 'session/cancel', params: { sessionId: 's' } },
    ]);
    stage.say({ id: prompt, result: { stopReason: 'cancelled' } });
    expect(stage.verdicts).toMatchObject([{ error: { code: 'permission_denied' } }]);
  });
});

test('a form is asked as questions and answered', () => {
  const stage = prompted();
  const requestedSchema = { properties: { colour: { enum: ['red', 'blue'] } } };
  const params = { mode: 'form', message: 'Which?', requestedSchema, sessionId: 's' };
  stage.say({ id: 7, method: 'elicitation/create', params });
  const [asked] = stage.all('question.requested');
  expect(asked?.questions).toMatchObject([{ id: 'colour', options: [{ label: 'red' }, {}] }]);
  stage.dialect.answer(asked?.requestId ?? '', { answers: { colour: ['red'] } });
  expect(stage.frames.at(-1)).toMatchObject({
    id: 7,
    result: { action: 'accept', content: { colour: 'red' } },
  });
});

test.each(['fs/write_text_file', 'fs/read_text_file', 'terminal/create'])(
  '%s, which was not offered, is refused and told of',
  (method) => {
    const stage = prompted().say({ id: 3, method, params: { path: '/w/a', content: 'x' } });
    expect(stage.frames.at(-1)).toMatchObject({ id: 3, error: { code: -32601 } });
    expect(stage.all('notice')).toMatchObject([{ level: 'warning' }]);
  },
);

describe('an interrupt', () => {
  test('answers what waits first, and the turn ends with its result', () => {
    const stage = prompted();
    const prompt = stage.frames.at(-1)?.id;
    stage.ask({ toolCallId: 't', title: 'rm x', kind: 'execute' });
    expect(stage.dialect.interrupt()).toBe(true);
    expect(stage.frames.slice(-2)).toMatchObject([
      { id: 0, result: { outcome: { outcome: 'cancelled' } } },
      { method: 'session/cancel' },
    ]);
    stage.say({ id: prompt, result: { stopReason: 'cancelled' } });
    expect(stage.verdicts).toMatchObject([{ outcome: 'cancelled' }]);
    expect(stage.dialect.interrupt()).toBe(false);
  });

  test('before there is a session ends the prompt at once', () => {
    const stage = new AcpStage();
    stage.dialect.open();
    stage.dialect.prompt({ text: 'Go.', images: [] });
    expect(stage.dialect.interrupt()).toBe(true);
    expect(stage.verdicts).toMatchObject([{ outcome: 'cancelled' }]);
    stage.respond(INITIALIZED).respond({ sessionId: 's' });
    expect(sent(stage).map(([method]) => method)).toEqual(['initialize', 'session/new']);
  });
});

test('an agent that leaves in the middle of a turn has failed', () => {
  const stage = prompted();
  expect(stage.dialect.end({ code: 1, stderr: 'boom' })).toMatchObject({
    outcome: 'failed',
    error: { code: 'agent_crashed', message: 'boom' },
  });
});

test('images come before the words', () => {
  const stage = new AcpStage();
  stage.dialect.open();
  stage.respond(INITIALIZED).respond({ sessionId: 's' });
  stage.dialect.prompt({ text: 'Look.', images: [{ path: 'a.png' }] });
  expect(stage.frames.at(-1)?.params).toMatchObject({
    prompt: [{ type: 'image', mimeType: 'image/png' }, { text: 'Look.' }],
  });
});

describe('a recording of both sides', () => {
  const SETUP = [
    { id: 0, method: 'initialize', params: { protocolVersion: 1 } },
    { id: 0, result: INITIALIZED },
  ];
  const LOAD = [
    { id: 1, method: 'session/load', params: { sessionId: 's', cwd: '/w', mcpServers: [] } },
    { id: 1, result: { modes: { currentModeId: 'default' } } },
  ];
  const PROMPT = { id: 2, method: 'session/prompt', params: { sessionId: 's', prompt: [] } };
  const update = (sessionUpdate: string, fields: Json) => ({
    method: 'session/update',
    params: { sessionId: 's', update: { sessionUpdate, ...fields } },
  });
  const asking = {
    id: 0,
    method: 'session/request_permission',
    params: {
      sessionId: 's',
      toolCall: { toolCallId: 't', title: 'rm x', kind: 'execute' },
      options: OPTIONS,
    },
  };
  const CANCEL = { method: 'session/cancel', params: { sessionId: 's' } };
  const replay = (...frames: Json[]) => {
    const stage = new StreamStage((out) => new AcpDialect(out, { label: 'Agent' }));
    for (const frame of [...SETUP, ...frames]) stage.say({ jsonrpc: '2.0', ...frame });
    return stage;
  };
  const resolved = (stage: ReturnType<typeof replay>) =>
    stage.all('permission.resolved').map(({ decision }) => decision);
  const outcomes = (stage: ReturnType<typeof replay>) =>
    stage.all('tool.completed').map(({ outcome }) => outcome);

  test('leaves out the history of a loaded session, before and after the reply', () => {
    const history = [
      update('agent_message_chunk', text('Old.')),
      update('tool_call', { toolCallId: 'old', title: 'ls', kind: 'execute', status: 'completed' }),
    ];
    const [load, reply] = LOAD;
    const stage = replay(
      ...[load ?? {}, ...history, reply ?? {}, ...history, PROMPT],
      update('agent_message_chunk', text('New.')),
      { id: 2, result: { stopReason: 'end_turn' } },
    );
    expect(stage.all('message.delta').map((each) => each.text)).toEqual(['New.']);
    expect(stage.all('tool.started')).toEqual([]);
    expect(stage.verdicts).toMatchObject([{ outcome: 'done' }]);
    expect(stage.all('notice')).toEqual([]);
    expect(stage.all('unparsed')).toEqual([]);
  });

  test.each([
    ['o', 'allow'],
    ['a', 'allow'],
    ['n', 'deny'],
  ])('has the answer %s of the client: %s', (optionId, decision) => {
    const stage = replay(PROMPT, asking, {
      id: 0,
      result: { outcome: { outcome: 'selected', optionId } },
    });
    expect(resolved(stage)).toEqual([decision]);
    expect(outcomes(stage)).toEqual(decision === 'deny' ? ['denied'] : []);
  });

  test.each([
    ['the call fails', [update('tool_call_update', { toolCallId: 't', status: 'failed' })]],
    ['nothing more is said of the call', []],
    ['the client answers so', [{ id: 0, result: { outcome: { outcome: 'cancelled' } } }]],
  ])('does not deny a request that a cancel ended: %s', (_, frames) => {
    const stage = replay(PROMPT, asking, CANCEL, ...frames, {
      id: 2,
      result: { stopReason: 'cancelled' },
    });
    expect(resolved(stage)).not.toContain('deny');
    expect(outcomes(stage)).not.toContain('denied');
    expect(outcomes(stage)).not.toContain('error');
    expect(stage.verdicts).toMatchObject([{ outcome: 'cancelled' }]);
    expect(stage.all('unparsed')).toEqual([]);
  });

  test('does not deny what a cancelled turn of one side leaves open', () => {
    const aborted = {
      content: [{ type: 'content', content: { type: 'text', text: 'Tool execution aborted' } }],
    };
    for (const frames of [
      [],
      [update('tool_call_update', { toolCallId: 't', status: 'failed', ...aborted })],
    ]) {
      const stage = replay(asking, ...frames, { id: 2, result: { stopReason: 'cancelled' } });
      expect(resolved(stage)).not.toContain('deny');
      expect(outcomes(stage)).not.toContain('denied');
    }
  });
});
