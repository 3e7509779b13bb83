import { array, type Json, object } from '@baton/config/values/json';
import type { EventDraft, Verdict } from '@baton/engine/definition/dialect';
import type { RequestAnswer } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import { ServerDialect, type ServerSession } from './server-dialect.ts';

const ID = 'ses_1';
const ASKS = [{ permission: '*', pattern: '*', action: 'ask' }];
const AGENTS = [{ name: 'build', mode: 'primary', permission: ASKS }];

/** A server whose requests a test answers, and whose events it makes up. */
function talk(session: Partial<ServerSession> = {}) {
  const drafts: EventDraft[] = [];
  const verdicts: Verdict[] = [];
  const sent: Json[] = [];
  const given: string[] = [];
  const dialect = new ServerDialect(
    {
      emit: (draft) => drafts.push(draft),
      write: (frame) => sent.push(object(JSON.parse(frame))),
      complete: (verdict) => verdicts.push(verdict),
      giveUp: ({ code }) => given.push(code),
    },
    {
      fork: false,
      allowsAll: false,
      mcpServers: {},
      readImage: () => ({ data: 'AAAA', mimeType: 'image/png' }),
      ...session,
    },
  );
  const answer = (body: unknown, status = 200) => {
    const { id } = sent.at(-1) ?? {};
    dialect.line(JSON.stringify({ response: id, status, body }));
  };
  const event = (type: string, properties: Json) =>
    dialect.line(JSON.stringify({ id: 'evt', type, properties: { sessionID: ID, ...properties } }));
  return {
    dialect,
    drafts,
    verdicts,
    sent,
    given,
    answer,
    event,
    reply: (requestId: string, given: RequestAnswer) => dialect.answer(requestId, given),
    paths: () => sent.map(({ method, path }) => `${String(method)} ${String(path)}`),
    ofType: (type: EventDraft['type']) => drafts.filter((draft) => draft.type === type),
  };
}

/** The same, in the middle of a turn in which the model has called a tool. */
function inTurn(session: Partial<ServerSession> = {}) {
  const it = talk(session);
  it.dialect.open();
  if (!session.allowsAll) it.answer(AGENTS);
  it.answer({ id: ID, version: '1.18.33', permission: ASKS });
  it.dialect.prompt({ text: 'Hello.', images: [] });
  it.answer('', 204);
  const created = Date.now() + 1;
  it.event('message.updated', { info: { id: 'msg_u', role: 'user', time: { created } } });
  it.event('session.status', { status: { type: 'busy' } });
  it.event('message.updated', { info: { id: 'msg_a', role: 'assistant', time: { created } } });
  const part = (fields: Json) =>
    it.event('message.part.updated', { part: { messageID: 'msg_a', sessionID: ID, ...fields } });
  const tool = (name: string, state: Json) =>
    part({ type: 'tool', id: `prt_${name}`, callID: `call_${name}`, tool: name, state });
  const idle = () => it.event('session.idle', {});
  return { ...it, part, tool, idle };
}

const asked = (name: string, more: Json = {}): Json => ({
  id: 'per_1',
  permission: name,
  patterns: ['x'],
  always: ['x *'],
  metadata: {},
  tool: { messageID: 'msg_a', callID: `call_${name}` },
  ...more,
});

test('gives a new session the rules that make it ask', () => {
  const { dialect, answer, sent, paths } = talk();
  dialect.open();
  answer(AGENTS);
  expect(paths()).toEqual(['GET /agent', 'POST /session']);
  expect(array(object(sent[1]?.body).permission)[0]).toEqual(ASKS[0]);
});

test('gives a resumed session its rules again', () => {
  const { dialect, answer, paths } = talk({ resume: ID });
  dialect.open();
  answer(AGENTS);
  answer({ id: ID, permission: [] });
  expect(paths().slice(1)).toEqual([`GET /session/${ID}`, `PATCH /session/${ID}`]);
});

test('fails when the session did not take the rules', () => {
  const { dialect, answer, verdicts } = talk();
  dialect.open();
  dialect.prompt({ text: 'Hello.', images: [] });
  answer(AGENTS);
  answer({ id: ID, permission: [{ permission: '*', pattern: '*', action: 'allow' }] });
  expect(verdicts).toMatchObject([{ outcome: 'failed', error: { code: 'capability_missing' } }]);
});

test('tells a session that does not exist', () => {
  const { dialect, answer, verdicts } = talk({ resume: 'none', allowsAll: true });
  dialect.open();
  dialect.prompt({ text: 'Hello.', images: [] });
  answer({ name: 'UnknownError', data: { message: 'Unexpected server error' } }, 500);
  const error = { code: 'session_not_found', message: 'OpenCode has no session "none".' };
  expect(verdicts).toMatchObject([{ error }]);
});

test('sends the model and images with the prompt', () => {
  const { dialect, answer, sent } = talk({ model: 'openrouter/a/b', allowsAll: true });
  dialect.open();
  answer({ id: ID });
  dialect.prompt({ text: 'Look.', images: [{ path: 'a.png' }] });
  expect(sent.at(-1)?.body).toEqual({
    model: { providerID: 'openrouter', modelID: 'a/b' },
    parts: [
      { type: 'file', mime: 'image/png', url: 'data:image/png;base64,AAAA' },
      { type: 'text', text: 'Look.' },
    ],
  });
});

test('ends the turn when the session is idle, with the words of the last step', () => {
  const { part, idle, verdicts } = inTurn();
  const time = { start: 1, end: 2 };
  part({ id: 'prt_0', type: 'text', text: 'Before.', time });
  part({ id: 'prt_1', type: 'step-start' });
  part({ id: 'prt_2', type: 'text', text: 'After.', time });
  const tokens = { input: 90, output: 15, reasoning: 5, cache: { read: 10, write: 0 } };
  part({ id: 'prt_3', type: 'step-finish', reason: 'stop', tokens, cost: 0.5 });
  idle();
  expect(verdicts).toMatchObject([
    {
      outcome: 'done',
      output: 'After.',
      usage: { inputTokens: 100, outputTokens: 20, costUsd: 0.5 },
    },
  ]);
});

test('does not take the end of the last turn for that of the next', () => {
  const { dialect, idle, verdicts } = inTurn();
  idle();
  dialect.prompt({ text: 'More.', images: [] });
  idle();
  expect(verdicts).toHaveLength(1);
});

test('leaves out what a copied session tells of its past', () => {
  const { event, drafts } = inTurn();
  const before = drafts.length;
  const info = { id: 'msg_old', role: 'assistant', time: { created: 5 } };
  event('message.updated', { info });
  const time = { start: 1, end: 2 };
  const part = { id: 'p', messageID: 'msg_old', type: 'text', text: 'Old.', time };
  event('message.part.updated', { part });
  expect(drafts).toHaveLength(before);
});

test('a request that comes before the input of its call is about what it says itself', () => {
  const { tool, event, ofType, reply, sent } = inTurn();
  tool('webfetch', { status: 'pending', input: {} });
  event('permission.asked', asked('webfetch', { metadata: { url: 'http://a.test' } }));
  expect(ofType('permission.requested')).toMatchObject([
    { action: { type: 'fetch', url: 'http://a.test' }, callId: 'prt_webfetch' },
  ]);
  tool('webfetch', { status: 'running', input: { url: 'http://a.test' } });
  expect(ofType('tool.started')).toHaveLength(1);
  expect(ofType('tool.updated')).toMatchObject([{ input: { url: 'http://a.test' } }]);
  reply('per_1', { decision: 'allow', scope: 'session' });
  expect(sent.at(-1)).toMatchObject({ path: '/permission/per_1/reply', body: { reply: 'always' } });
});

test('an edit is asked for with the path that OpenCode resolved, and never for the whole session', () => {
  const { tool, event, ofType } = inTurn();
  tool('write', { status: 'running', input: { filePath: 'a.txt', content: 'x\n' } });
  const metadata = { filepath: '/work/a.txt', diff: '@@ -0,0 +1,1 @@\n+x\n' };
  const call = { messageID: 'msg_a', callID: 'call_write' };
  event('permission.asked', asked('edit', { metadata, tool: call }));
  expect(ofType('permission.requested')).toMatchObject([
    {
      tool: 'write',
      scopes: ['once'],
      action: { type: 'file.edit', changes: [{ path: '/work/a.txt', diff: 'x\n' }] },
    },
  ]);
});

test('a folder outside is asked for with the path of the call, whose input is not known yet', () => {
  const { tool, event, ofType } = inTurn();
  tool('write', { status: 'pending', input: {} });
  const metadata = { filepath: '/etc/a.txt', parentDir: '/etc' };
  const call = { messageID: 'msg_a', callID: 'call_write' };
  event('permission.asked', asked('external_directory', { metadata, tool: call }));
  expect(ofType('permission.requested')).toMatchObject([
    { action: { type: 'file.edit', changes: [{ path: '/etc/a.txt' }] } },
  ]);
});

test.each(['edit_file', 'write_file', 'create', 'str_replace'])(
  'a tool called %s, which does not ask for an edit, is none',
  (name) => {
    const { tool, event, ofType } = inTurn();
    tool(name, { status: 'running', input: { path: 'a.txt', content: 'x' } });
    const call = { messageID: 'msg_a', callID: `call_${name}` };
    event('permission.asked', asked(name, { metadata: {}, tool: call }));
    expect(ofType('permission.requested')).toMatchObject([{ action: { type: 'other' } }]);
  },
);

test('a patch is asked for with all its files', () => {
  const { tool, event, ofType } = inTurn();
  tool('apply_patch', { status: 'running', input: { patchText: '*** Begin Patch' } });
  const files = [
    { filePath: '/work/a', type: 'add', patch: 'x' },
    { filePath: '/work/b', movePath: '/work/.git/c', type: 'move', patch: '@@ -1 +1 @@' },
  ];
  const call = { messageID: 'msg_a', callID: 'call_apply_patch' };
  event('permission.asked', asked('edit', { metadata: { files }, tool: call }));
  expect(ofType('permission.requested')).toMatchObject([
    { action: { changes: [{ path: '/work/a' }, { path: '/work/b', newPath: '/work/.git/c' }] } },
  ]);
});

test('a patch whose files cannot be read is no edit that a mode could allow', () => {
  const { tool, event, ofType } = inTurn();
  tool('apply_patch', { status: 'running', input: { patchText: '*** Begin Patch' } });
  const call = { messageID: 'msg_a', callID: 'call_apply_patch' };
  const metadata = { filepath: 'a.txt, .git/config', files: [{}] };
  event('permission.asked', asked('edit', { metadata, tool: call }));
  expect(ofType('permission.requested')).toMatchObject([{ action: { type: 'other' } }]);
});

describe('a denial, with which OpenCode rejects all open requests of the session', () => {
  const REJECTED = 'The user rejected permission to use this specific tool call.';
  const step = () => {
    const it = inTurn();
    for (const [index, name] of ['bash', 'edit', 'task'].entries()) {
      it.tool(name, { status: 'running', input: { command: name } });
      it.event('permission.asked', asked(name, { id: `per_${index}`, sessionID: ID }));
    }
    const fail = (name: string) => it.tool(name, { status: 'error', error: REJECTED, input: {} });
    const outcomes = () =>
      it.ofType('tool.completed').map((each) => 'outcome' in each && each.outcome);
    return { ...it, fail, outcomes };
  };

  test('cancels the requests and calls that nobody denied, and says why', () => {
    const { event, ofType, reply, fail, outcomes, sent } = step();
    reply('per_1', { decision: 'deny', reason: 'No.' });
    expect(sent.at(-1)?.body).toMatchObject({ message: expect.stringMatching(/^No\. .*repeat/) });
    for (const id of [1, 0, 2]) {
      event('permission.replied', { requestID: `per_${id}`, reply: 'reject' });
    }
    expect(ofType('permission.resolved')).toMatchObject([
      { requestId: 'per_0', decision: 'cancelled', by: 'agent' },
      { requestId: 'per_2', decision: 'cancelled', by: 'agent' },
    ]);
    for (const name of ['bash', 'edit', 'task']) fail(name);
    expect(outcomes()).toEqual(['cancelled', 'denied', 'cancelled']);
    expect(ofType('notice')).toMatchObject([
      { message: expect.stringContaining('OpenCode cancelled bash') },
      { message: expect.stringContaining('OpenCode cancelled task') },
    ]);
  });

  test('cancels a call that is allowed too late, without a warning about its request', () => {
    const { reply, fail, outcomes, answer, ofType } = step();
    reply('per_0', { decision: 'allow' });
    reply('per_1', { decision: 'deny' });
    reply('per_2', { decision: 'allow' });
    answer({ name: 'NotFoundError', data: { message: 'Permission request not found' } }, 404);
    for (const name of ['edit', 'task']) fail(name);
    expect(outcomes()).toEqual(['denied', 'cancelled']);
    expect(ofType('notice')).toMatchObject([
      { message: expect.stringContaining('cancelled task') },
    ]);
  });

  test('does not tell a model to repeat calls when it made only one', () => {
    const { tool, event, reply, sent } = inTurn();
    tool('bash', { status: 'running', input: { command: 'a' } });
    event('permission.asked', asked('bash'));
    reply('per_1', { decision: 'deny', reason: 'No.' });
    expect(sent.at(-1)?.body).toEqual({ reply: 'reject', message: 'No.' });
  });

  test('is recognized in a recording', () => {
    const drafts: EventDraft[] = [];
    const dialect = new ServerDialect({
      emit: (draft) => drafts.push(draft),
      write: () => {},
      complete: () => {},
    });
    const event = (type: string, properties: Json) =>
      dialect.line(JSON.stringify({ type, properties: { sessionID: ID, ...properties } }));
    event('message.updated', { info: { id: 'msg_a', role: 'assistant', time: { created: 1 } } });
    const tool = (name: string, state: Json) =>
      event('message.part.updated', {
        part: {
          ...{ messageID: 'msg_a', sessionID: ID, type: 'tool', id: `prt_${name}` },
          ...{ callID: `call_${name}`, tool: name, state },
        },
      });
    for (const name of ['bash', 'task']) {
      tool(name, { status: 'running', input: { command: 'a' } });
      event('permission.asked', asked(name, { id: `per_${name}` }));
    }
    event('permission.replied', { requestID: 'per_bash', reply: 'reject' });
    event('permission.replied', { requestID: 'per_task', reply: 'reject' });
    for (const name of ['bash', 'task']) tool(name, { status: 'error', error: REJECTED });
    expect(drafts.filter(({ type }) => type === 'permission.resolved')).toMatchObject([
      { requestId: 'per_bash', decision: 'deny' },
      { requestId: 'per_task', decision: 'cancelled' },
    ]);
    expect(drafts.filter(({ type }) => type === 'tool.completed')).toMatchObject([
      { outcome: 'denied' },
      { outcome: 'cancelled' },
    ]);
  });
});

test('grants everything in allow-all without a word', () => {
  const { event, sent, ofType } = inTurn({ allowsAll: true });
  event('permission.asked', asked('external_directory'));
  expect(sent.at(-1)).toMatchObject({ path: '/permission/per_1/reply', body: { reply: 'once' } });
  expect(ofType('permission.requested')).toEqual([]);
});

test('a denial that stops aborts the session, and the run has failed', () => {
  const { tool, event, reply, paths, idle, verdicts } = inTurn();
  tool('bash', { status: 'running', input: { command: 'a' } });
  event('permission.asked', asked('bash'));
  reply('per_1', { decision: 'deny', stop: true });
  expect(paths().slice(-2)).toEqual(['POST /permission/per_1/reply', `POST /session/${ID}/abort`]);
  event('session.error', { error: { name: 'MessageAbortedError', data: { message: 'Aborted' } } });
  idle();
  expect(verdicts).toMatchObject([{ outcome: 'failed', error: { code: 'permission_denied' } }]);
});

test('the first error is the reason', () => {
  const { event, idle, verdicts } = inTurn();
  const failed = (message: string, statusCode: number) =>
    event('session.error', { error: { name: 'APIError', data: { message, statusCode } } });
  failed('Bad key', 401);
  failed('Echo', 500);
  idle();
  expect(verdicts).toMatchObject([{ error: { code: 'auth_missing', message: 'Bad key' } }]);
});

test('a prompt that is never worked on ends with its error', () => {
  const { dialect, answer, event, verdicts } = talk({ allowsAll: true });
  dialect.open();
  answer({ id: ID });
  dialect.prompt({ text: 'Hello.', images: [] });
  answer('', 204);
  event('session.error', { error: { name: 'UnknownError', data: { message: 'Broken.' } } });
  expect(verdicts).toMatchObject([{ outcome: 'failed', error: { code: 'agent_failed' } }]);
});

test('a retry is a notice, and one that no waiting helps ends the run', () => {
  const { event, ofType, given } = inTurn();
  const retry = (message: string, attempt: number) =>
    event('session.status', { status: { type: 'retry', attempt, message, next: 5 } });
  retry('Overloaded', 1);
  expect(given).toEqual([]);
  retry('You exceeded your current quota', 2);
  expect(given).toEqual(['quota_exhausted']);
  expect(ofType('notice')).toMatchObject([
    { code: 'retry', data: { attempt: 1 } },
    { code: 'retry', data: { attempt: 2 } },
  ]);
});

test('questions reach the person, and the answers go back in their order', () => {
  const { event, reply, sent, ofType } = inTurn();
  const options = [{ label: 'Red', description: 'r' }, { label: 'Blue' }];
  const questions = [{ question: 'Which?', header: 'Colour', options }, { question: 'Why?' }];
  event('question.asked', { id: 'que_1', questions });
  expect(ofType('question.requested')).toMatchObject([
    {
      questions: [
        { id: '0', question: 'Which?', freeText: true },
        { id: '1', options: [] },
      ],
    },
  ]);
  reply('que_1', { answers: { 1: ['Because.'], 0: ['Blue'] } });
  expect(sent.at(-1)).toMatchObject({
    path: '/question/que_1/reply',
    body: { answers: [['Blue'], ['Because.']] },
  });
  event('question.asked', { id: 'que_2', questions });
  reply('que_2', { declined: true });
  expect(sent.at(-1)).toMatchObject({ path: '/question/que_2/reject' });
});

test('says which MCP server is not connected, and goes on', () => {
  const { dialect, answer, paths, ofType } = talk({
    allowsAll: true,
    mcpServers: { echo: { type: 'local', command: ['nowhere'] } },
  });
  dialect.open();
  answer({ echo: { status: 'failed', error: 'ENOENT' } });
  expect(paths()).toEqual(['POST /mcp', 'POST /session']);
  expect(ofType('notice')).toMatchObject([{ message: expect.stringContaining('ENOENT') }]);
});

test('a call of an MCP tool names its server, also in its request', () => {
  const mcpServers = { echo: {}, 'my server': {} };
  const it = talk({ allowsAll: false, mcpServers });
  it.dialect.open();
  it.answer(AGENTS);
  for (const { id, path } of it.sent.filter(({ path }) => path === '/mcp')) {
    it.dialect.line(JSON.stringify({ response: id, status: 200, body: { path } }));
  }
  it.answer({ id: ID, version: '1.18.33', permission: ASKS });
  it.dialect.prompt({ text: 'Hello.', images: [] });
  const created = Date.now() + 1;
  it.event('message.updated', { info: { id: 'msg_u', role: 'user', time: { created } } });
  it.event('message.updated', { info: { id: 'msg_a', role: 'assistant', time: { created } } });
  const input = { text: 'hi' };
  for (const [name, server, tool] of [
    ['echo_say', 'echo', 'say'],
    ['echo_say_it', 'echo', 'say_it'],
    ['my_server_read', 'my server', 'read'],
  ] as const) {
    const part = (state: Json) => ({
      ...{ messageID: 'msg_a', sessionID: ID, type: 'tool', id: `prt_${name}` },
      ...{ callID: `call_${name}`, tool: name, state },
    });
    it.event('message.part.updated', { part: part({ status: 'running', input }) });
    it.event('permission.asked', asked(name, { id: `per_${name}` }));
    const done = { status: 'completed', input, output: 'hi' };
    it.event('message.part.updated', { part: part(done) });
    const action = { type: 'mcp', server, tool, arguments: input };
    expect(it.ofType('tool.started').at(-1)).toMatchObject({ name, action });
    expect(it.ofType('permission.requested').at(-1)).toMatchObject({ tool: name, action });
    expect(it.ofType('tool.completed').at(-1)).toMatchObject({ action });
  }
});

test('output of a running command comes as it is printed', () => {
  const { tool, ofType } = inTurn();
  const input = { command: 'a' };
  tool('bash', { status: 'running', input, metadata: { output: 'one\n' } });
  tool('bash', { status: 'running', input, metadata: { output: 'one\ntwo\n' } });
  tool('bash', { status: 'completed', input, output: 'one\ntwo\n', metadata: { exit: 3 } });
  expect(ofType('tool.updated')).toMatchObject([{ output: 'one\n' }, { output: 'two\n' }]);
  expect(ofType('tool.completed')).toMatchObject([{ outcome: 'error', output: 'one\ntwo\n' }]);
});
