import { type Json, object } from '@baton/config/values/json';
import type { EventDraft, Verdict } from '@baton/engine/definition/dialect';
import type { AgentEvent } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import { DroidDialect, type DroidSession } from './session-dialect.ts';

const SESSION: DroidSession = {
  cwd: '/ws',
  settings: { autonomyLevel: 'off' },
  beginning: { systemPrompt: { append: 'Be brief.' } },
  mcpServers: [],
  allowsAll: false,
  readImage: () => ({ data: 'AA==', mimeType: 'image/png' }),
};

function conversation(more: Partial<DroidSession> = {}) {
  const events: EventDraft[] = [];
  const verdicts: Verdict[] = [];
  const written: Json[] = [];
  const dialect = new DroidDialect(
    {
      emit: (draft) => events.push(draft),
      write: (line) => written.push(object(JSON.parse(line))),
      complete: (verdict) => verdicts.push(verdict),
    },
    { ...SESSION, ...more },
  );
  const say = (message: Json) => dialect.line(JSON.stringify(message));
  const answer = (result: Json) => say({ id: written.at(-1)?.id, result });
  const tell = (notification: Json) =>
    say({ method: 'droid.session_notification', params: { notification } });
  const all = <Type extends AgentEvent['type']>(type: Type) =>
    events.filter((event): event is Extract<EventDraft, { type: Type }> => event.type === type);
  return { dialect, written, verdicts, say, answer, tell, all };
}

/** A conversation in the middle of its first turn. */
function prompted(more: Partial<DroidSession> = {}) {
  const talk = conversation(more);
  talk.dialect.open();
  talk.dialect.prompt({ text: 'Go', images: [] });
  talk.answer({ sessionId: 's1', settings: { modelId: 'm1' } });
  return talk;
}

const call = (id: string, name: string, input: Json) => ({ type: 'tool_use', id, name, input });
const ask = (id: string, ...uses: Json[]) => ({
  id,
  method: 'droid.request_permission',
  params: { toolUses: uses.map((toolUse) => ({ toolUse, details: {} })) },
});
const USAGE = { inputTokens: 10, outputTokens: 4, cacheReadTokens: 5, thinkingTokens: 1 };
const DONE = { type: 'agent_turn_completed', reason: 'completed', tokenUsage: USAGE };

describe('the handshake', () => {
  test('begins a session, and every message states its kind and the version', () => {
    const { written, all } = prompted();
    expect(written).toEqual([
      {
        jsonrpc: '2.0',
        id: '1',
        method: 'droid.initialize_session',
        params: {
          machineId: 'baton',
          cwd: '/ws',
          mcpServers: [],
          autonomyLevel: 'off',
          systemPrompt: { append: 'Be brief.' },
        },
        type: 'request',
        factoryApiVersion: '1.0.0',
      },
      expect.objectContaining({ method: 'droid.add_user_message', params: { text: 'Go' } }),
    ]);
    expect(all('run.identified')[0]).toMatchObject({ nativeSessionId: 's1', model: 'm1' });
  });

  test('goes on with a session with the rights of this run', () => {
    const { dialect, written, answer } = conversation({ resume: 's0' });
    dialect.open();
    dialect.prompt({ text: 'Go', images: [] });
    for (let step = 0; step < 2; step += 1) answer({ cwd: '/ws' });
    expect(written.map(({ method }) => method)).toEqual([
      'droid.load_session',
      'droid.update_session_settings',
      'droid.add_user_message',
    ]);
    expect(written[1]?.params).toEqual({ autonomyLevel: 'off' });
  });

  test('does not go on with a session of another folder', () => {
    const { dialect, answer, verdicts, written } = conversation({ resume: 's0' });
    dialect.open();
    dialect.prompt({ text: 'Go', images: [] });
    answer({ cwd: '/other' });
    expect(verdicts[0]?.error).toMatchObject({
      code: 'session_not_found',
      message: "Droid's session s0 belongs to another folder: /other",
    });
    expect(written.length).toBe(1);
  });

  test('goes on in the copy of a session, and names only that', () => {
    const { dialect, written, answer, all } = conversation({ resume: 's0', fork: true });
    dialect.open();
    dialect.prompt({ text: 'Go', images: [] });
    for (let step = 0; step < 2; step += 1) answer({});
    answer({ newSessionId: 's1' });
    expect(written.at(-1)).toMatchObject({
      method: 'droid.load_session',
      params: { sessionId: 's1' },
    });
    for (let step = 0; step < 2; step += 1) answer({});
    expect(all('run.identified').map(({ nativeSessionId }) => nativeSessionId)).not.toContain('s0');
  });

  test('fails every prompt when the session is not there', () => {
    const { dialect, say, verdicts } = conversation({ resume: 's0' });
    dialect.open();
    dialect.prompt({ text: 'Go', images: [] });
    say({ id: '1', error: { code: -32004, message: 'Session not found' } });
    dialect.prompt({ text: 'Go', images: [] });
    const codes = verdicts.map(({ outcome, error }) => [outcome, error?.code]);
    expect(codes).toEqual([
      ['failed', 'session_not_found'],
      ['failed', 'session_not_found'],
    ]);
  });
});

test('a call starts once, when its input is whole, and its exit code decides', () => {
  const { tell, all } = prompted();
  tell({ type: 'tool_call', toolUse: call('c1', 'Execute', {}) });
  tell({ type: 'tool_call', toolUse: call('c1', 'Execute', { command: 'exit 3' }) });
  tell({ type: 'tool_execution_phase_changed', toolUseId: 'c1', phase: 'queued' });
  const update = { type: 'status', fullOutput: 'a\n' };
  tell({ type: 'tool_progress_update', toolUseId: 'c1', update });
  tell({
    type: 'tool_result',
    toolUseId: 'c1',
    content: 'a\n\n[Process exited with code 3]',
    isError: false,
  });
  expect(all('tool.started')).toEqual([
    expect.objectContaining({ callId: 'c1', action: { type: 'command', command: 'exit 3' } }),
  ]);
  expect(all('tool.updated')).toEqual([expect.objectContaining({ output: 'a\n' })]);
  expect(all('tool.completed')).toEqual([
    expect.objectContaining({ outcome: 'error', action: expect.objectContaining({ exitCode: 3 }) }),
  ]);
});

test('results out of order belong to their calls', () => {
  const { tell, all } = prompted();
  for (const id of ['c1', 'c2']) {
    tell({ type: 'tool_call', toolUse: call(id, 'Read', { file_path: id }) });
    tell({ type: 'tool_execution_phase_changed', toolUseId: id });
  }
  for (const id of ['c2', 'c1']) tell({ type: 'tool_result', toolUseId: id, content: id });
  const results = all('tool.completed').map(({ callId, output }) => [callId, output]);
  expect(results).toEqual([
    ['c2', 'c2'],
    ['c1', 'c1'],
  ]);
});

describe('permission', () => {
  const use = call('c1', 'Create', { file_path: '/ws/a', content: 'x' });

  test('is only ever given once: "always" would raise the autonomy of the session', () => {
    const { dialect, say, written, all } = prompted();
    say(ask('r1', use));
    expect(all('permission.requested')[0]).toMatchObject({
      callId: 'c1',
      tool: 'Create',
      action: { type: 'file.edit' },
      scopes: ['once'],
    });
    dialect.answer('r1:c1', { decision: 'allow', scope: 'session' });
    expect(written.at(-1)).toMatchObject({
      id: 'r1',
      type: 'response',
      result: { selectedOption: 'proceed_once' },
    });
  });

  test('for several calls is given when each was allowed', () => {
    const { dialect, say, written } = prompted();
    say(ask('r1', use, call('c2', 'Execute', { command: 'ls' })));
    const before = written.length;
    dialect.answer('r1:c1', { decision: 'allow' });
    expect(written.length).toBe(before);
    dialect.answer('r1:c2', { decision: 'deny' });
    expect(written.at(-1)?.result).toEqual({ selectedOption: 'cancel' });
  });

  test.each([
    [['allow', 'deny', 'allow']],
    [['deny', 'allow', 'allow']],
    [['allow', 'allow', 'deny']],
  ] as const)(
    'for several calls that is answered %j cancels those that nobody denied',
    (decisions) => {
      const { dialect, say, tell, written, all } = prompted();
      const ids = decisions.map((_, index) => `c${index}`);
      say(ask('r1', ...ids.map((id) => call(id, 'Execute', { command: id }))));
      for (const [index, decision] of decisions.entries()) {
        dialect.answer(`r1:c${index}`, { decision });
      }
      expect(written.filter(({ result }) => result).map(({ result }) => result)).toEqual([
        { selectedOption: 'cancel' },
      ]);
      const waiting = ids.slice(decisions.indexOf('deny') + 1);
      expect(all('permission.resolved')).toMatchObject(
        waiting.map((id) => ({ requestId: `r1:${id}`, decision: 'cancelled', by: 'agent' })),
      );
      const content = 'Error: Tool execution cancelled by user';
      for (const toolUseId of ids) tell({ type: 'tool_result', toolUseId, content, isError: true });
      expect(all('tool.completed').map(({ outcome }) => outcome)).toEqual(
        decisions.map((decision) => (decision === 'deny' ? 'denied' : 'cancelled')),
      );
      expect(all('notice')).toMatchObject([
        { message: expect.stringContaining('Droid cancelled Execute, Execute') },
      ]);
      tell(DONE);
      const { text } = object(written.at(-1)?.params);
      expect(text).toMatch(/^That was refused\. Go on without it\. .*repeat/);
    },
  );

  test('for a patch names all its files', () => {
    const { say, all } = prompted();
    const files = [
      { filePath: '/ws/a', operation: 'update', moveTo: '/etc/b' },
      { filePath: '/ws/c', operation: 'delete' },
    ];
    const toolUse = call('c1', 'ApplyPatch', { input: '*** Begin Patch' });
    const details = { type: 'apply_patch', filePath: '/ws/a', files };
    say({
      id: 'r1',
      method: 'droid.request_permission',
      params: { toolUses: [{ toolUse, details }] },
    });
    expect(all('permission.requested')[0]?.action).toMatchObject({
      changes: [
        { path: '/ws/a', kind: 'edit', newPath: '/etc/b' },
        { path: '/ws/c', kind: 'delete' },
      ],
    });
  });

  test('that is refused ends the turn of Droid, which is told to go on', () => {
    const { dialect, say, tell, written, verdicts } = prompted();
    say(ask('r1', use));
    dialect.answer('r1:c1', { decision: 'deny', reason: 'Not today.' });
    tell(DONE);
    expect(written.at(-1)).toMatchObject({
      method: 'droid.add_user_message',
      params: { text: 'That was refused: Not today. Go on without it.' },
    });
    expect(verdicts).toEqual([]);
    tell(DONE);
    expect(verdicts).toEqual([
      {
        outcome: 'done',
        usage: expect.objectContaining({ inputTokens: 30, outputTokens: 8, reasoningTokens: 2 }),
      },
    ]);
  });

  test('that is refused for good interrupts, and the run has failed', () => {
    const { dialect, say, tell, written, verdicts } = prompted();
    say(ask('r1', use));
    dialect.answer('r1:c1', { decision: 'deny', stop: true });
    expect(written.at(-1)?.method).toBe('droid.interrupt_session');
    tell({ ...DONE, reason: 'cancelled' });
    expect(verdicts[0]).toMatchObject({
      outcome: 'failed',
      error: { code: 'permission_denied' },
    });
  });

  test('that waits is refused before an interrupt', () => {
    const { dialect, say, tell, written, verdicts } = prompted();
    say(ask('r1', use));
    expect(dialect.interrupt()).toBe(true);
    expect(written.slice(-2)).toEqual([
      expect.objectContaining({ id: 'r1', result: { selectedOption: 'cancel' } }),
      expect.objectContaining({ method: 'droid.interrupt_session' }),
    ]);
    tell(DONE);
    expect(verdicts.length).toBe(1);
  });

  test('is given without a word in mode allow-all', () => {
    const { say, written, all } = prompted({ allowsAll: true });
    say(ask('r1', use));
    expect(written.at(-1)?.result).toEqual({ selectedOption: 'proceed_once' });
    expect(all('permission.requested')).toEqual([]);
  });
});

describe('a call that Droid reports as cancelled by the user', () => {
  const use = call('c1', 'Execute', { command: 'sleep 60' });
  const cancelled = {
    type: 'tool_result',
    toolUseId: 'c1',
    content: 'Error: Tool execution cancelled by user',
    isError: true,
  };

  test('is denied if a person denied it', () => {
    const { dialect, say, tell, all } = prompted();
    say(ask('r1', use));
    dialect.answer('r1:c1', { decision: 'deny' });
    tell(cancelled);
    expect(all('tool.completed')[0]?.outcome).toBe('denied');
  });

  test('is cancelled if an interrupt stopped it after it was allowed', () => {
    const { dialect, say, tell, all } = prompted();
    say(ask('r1', use));
    dialect.answer('r1:c1', { decision: 'allow' });
    dialect.interrupt();
    tell(cancelled);
    expect(all('tool.completed')[0]?.outcome).toBe('cancelled');
  });

  test('is cancelled in mode allow-all, asked for or not', () => {
    for (const isAsked of [true, false]) {
      const { dialect, say, tell, all } = prompted({ allowsAll: true });
      if (isAsked) say(ask('r1', use));
      tell({ type: 'tool_call', toolUse: use });
      dialect.interrupt();
      tell(cancelled);
      expect(all('tool.completed')[0]?.outcome).toBe('cancelled');
    }
  });
});

test('a question is answered by its index, or cancelled', () => {
  const { dialect, say, written, all } = prompted();
  const questions = [{ index: 1, topic: 'T', question: 'Which?', options: ['A', 'B'] }];
  const asked = { method: 'droid.ask_user', params: { toolCallId: 'c1', questions } };
  say({ id: 'r1', ...asked });
  expect(all('question.requested')[0]?.questions).toMatchObject([
    { id: '1', header: 'T', question: 'Which?', options: [{ label: 'A' }, { label: 'B' }] },
  ]);
  dialect.answer('r1', { answers: { '1': ['B'] } });
  const answers = [{ index: 1, question: 'Which?', answer: 'B' }];
  expect(written.at(-1)?.result).toEqual({ cancelled: false, answers });
  say({ id: 'r2', ...asked });
  dialect.answer('r2', { declined: true });
  expect(written.at(-1)?.result).toEqual({ cancelled: true, answers: [] });
});

describe('failures', () => {
  test('the first error is the reason, and retries are told', () => {
    const { tell, verdicts, all } = prompted();
    tell({ type: 'llm_retry', attempt: 2, reason: 'overloaded' });
    tell({ type: 'error', message: '503 The model is overloaded' });
    tell({ type: 'error', message: 'Exec failed' });
    tell({ ...DONE, reason: 'model_provider_unavailable' });
    expect(all('notice')[0]).toMatchObject({ code: 'retry', level: 'warning' });
    expect(verdicts[0]?.error).toMatchObject({
      code: 'overloaded',
      message: '503 The model is overloaded',
    });
  });

  test('without an error the reason of the end counts', () => {
    const { tell, verdicts } = prompted();
    tell({ ...DONE, reason: 'model_usage_exhausted' });
    expect(verdicts[0]?.error?.code).toBe('quota_exhausted');
  });
});

test('a todo list is a plan', () => {
  const { tell, all } = prompted();
  const todos = '1. [completed] Look\n2. [in_progress] Act';
  tell({ type: 'tool_call', toolUse: call('c1', 'TodoWrite', { todos }) });
  tell({ type: 'tool_execution_phase_changed', toolUseId: 'c1' });
  expect(all('plan.updated')[0]?.entries).toEqual([
    { text: 'Look', status: 'completed' },
    { text: 'Act', status: 'in_progress' },
  ]);
});

describe('a model whose stream breaks', () => {
  const delta = (textDelta: string) => ({
    ...{ type: 'assistant_text_delta', messageId: 'm', blockIndex: 0 },
    textDelta,
  });
  const retry = (attempt: number) => ({ type: 'llm_retry', attempt, reason: 'timeout' });
  const texts = (talk: ReturnType<typeof prompted>) => {
    const ids = talk.all('message.started').map(({ messageId }) => messageId);
    return ids.map((id) => {
      const said = talk.all('message.delta').filter(({ messageId }) => messageId === id);
      const ended = talk.all('message.completed').find(({ messageId }) => messageId === id);
      return [said.map(({ text }) => text).join(''), ended?.incomplete === true];
    });
  };

  test('has one message for each attempt, and those that broke are incomplete', () => {
    const talk = prompted();
    for (const each of [delta('One '), retry(1), delta('One '), retry(2), delta('One two.')]) {
      talk.tell(each);
    }
    const message = { id: 'm', role: 'assistant', content: [{ type: 'text', text: 'One two.' }] };
    talk.tell({ type: 'assistant_text_complete', messageId: 'm', blockIndex: 0 });
    talk.tell({ type: 'create_message', message });
    talk.tell(DONE);
    expect(texts(talk)).toEqual([
      ['One ', true],
      ['One ', true],
      ['One two.', false],
    ]);
  });

  test.each([
    'The socket connection was closed unexpectedly. For more information, pass `verbose: true`',
    'Error: socket hang up',
    'read ECONNRESET',
  ])('fails so that it may be retried: %s', (message) => {
    const talk = prompted();
    talk.tell({ type: 'error', message });
    talk.tell({ ...DONE, reason: 'error' });
    expect(talk.verdicts).toMatchObject([
      { outcome: 'failed', error: { code: 'provider_error', retryable: true } },
    ]);
  });
});
