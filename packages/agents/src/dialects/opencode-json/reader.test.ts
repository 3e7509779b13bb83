import type { Json } from '@baton/config/values/json';
import type { EventDraft, StreamEnd } from '@baton/engine/definition/dialect';
import { describe, expect, test } from 'vitest';
import { openCodeError } from './errors.ts';
import { OpenCodeJson } from './reader.ts';

const EXITED: StreamEnd = { code: 0, stderr: '' };
const part = (type: string, fields: Json = {}) => ({
  type,
  sessionID: 'ses_1',
  part: { id: `prt_${type}`, ...fields },
});
const finished = (reason: string) =>
  part('step_finish', { reason, tokens: { input: 1, output: 1 } });
const used = (state: Json, tool = 'bash') => part('tool_use', { tool, callID: 'call_1', state });

function read(lines: readonly Json[], end: StreamEnd = EXITED) {
  const drafts: EventDraft[] = [];
  const dialect = new OpenCodeJson({
    emit: (draft) => drafts.push(draft),
    write: () => {},
    complete: () => {},
  });
  for (const line of lines) dialect.line(JSON.stringify(line));
  return { drafts, verdict: dialect.end(end), dialect };
}

describe('the end of a run', () => {
  const text = part('text', { text: 'Hi.' });

  test.each([
    ['stop', { outcome: 'done', output: 'Hi.' }],
    ['unknown', { outcome: 'done', output: 'Hi.' }],
    ['length', { outcome: 'failed', error: { code: 'output_limit' } }],
    ['content-filter', { outcome: 'failed', error: { code: 'refused' } }],
    ['tool-calls', { outcome: 'failed', error: { code: 'output_truncated' } }],
  ])('is judged by the reason of its last step: %s', (reason, expected) => {
    expect(read([text, finished(reason)]).verdict).toMatchObject(expected);
  });

  test('is the first error, whatever follows', () => {
    const failed = (message: string) => ({
      type: 'error',
      sessionID: 'ses_1',
      error: { name: 'APIError', data: { message, statusCode: 401 } },
    });
    const lines = [failed('Bad key'), failed('Echo'), finished('stop')];
    expect(read(lines, { code: 1, stderr: '' }).verdict).toMatchObject({
      outcome: 'failed',
      error: { code: 'auth_missing', message: 'Bad key' },
    });
  });

  test.each([
    ['Error: Session not found', 'session_not_found'],
    ['Error: You must provide a message or a command', 'usage'],
    ['opencode run [message..]\n\nrun opencode with a message', 'usage'],
  ])('is told by standard error: %s', (stderr, code) => {
    expect(read([], { code: 1, stderr }).verdict).toMatchObject({ error: { code } });
  });
});

test('words before a tool are not part of the answer', () => {
  const lines = [
    part('text', { text: 'Before.' }),
    finished('tool-calls'),
    part('step_start'),
    { ...part('text', { id: 'prt_2', text: 'One.' }) },
    { ...part('text', { id: 'prt_3', text: 'Two. ' }) },
    finished('stop'),
  ];
  expect(read(lines).verdict.output).toBe('One.\n\nTwo. ');
});

test('usage is the sum of the steps, with cached and reasoning tokens', () => {
  const tokens = { input: 90, output: 15, reasoning: 5, cache: { read: 10, write: 2 } };
  const step = part('step_finish', { reason: 'stop', tokens, cost: 0.25 });
  expect(read([step, step]).verdict.usage).toEqual({
    inputTokens: 204,
    cachedInputTokens: 20,
    cacheWriteTokens: 4,
    outputTokens: 40,
    reasoningTokens: 10,
    totalTokens: 244,
    costUsd: 0.5,
  });
});

test.each([-1, 0.5, -5e-324, 1e300, 'many'])(
  'a count of %s tokens, or such a cost, is none',
  (bad) => {
    const tokens = { input: bad, output: bad, reasoning: bad, cache: { read: bad, write: bad } };
    const cost = Number(bad) >= 0 ? -1 : bad;
    const { usage } = read([part('step_finish', { reason: 'stop', tokens, cost })]).verdict;
    expect(usage).toEqual({
      inputTokens: 0,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 0,
      reasoningTokens: 0,
      totalTokens: 0,
    });
  },
);

test.each([
  [{ status: 'completed', output: 'x', metadata: { exit: 0 } }, 'ok'],
  [{ status: 'completed', output: 'x', metadata: { exit: 3 } }, 'error'],
  [
    { status: 'error', error: 'Tool execution aborted', metadata: { interrupted: true } },
    'cancelled',
  ],
  [
    { status: 'error', error: 'The user rejected permission to use this specific tool call.' },
    'denied',
  ],
  [
    { status: 'error', error: 'The user has specified a rule which prevents you from it' },
    'denied',
  ],
  [{ status: 'error', error: 'ENOENT' }, 'error'],
])('a tool with %o is %s', (state, outcome) => {
  const { drafts } = read([used({ input: { command: 'x' }, ...state })]);
  expect(drafts.at(-1)).toMatchObject({ type: 'tool.completed', outcome });
});

test('an exit code that is no whole number is left out', () => {
  const state = { status: 'completed', input: { command: 'x' }, metadata: { exit: 5e-324 } };
  const { drafts } = read([used(state)]);
  expect(drafts.at(-1)).toHaveProperty('action', expect.not.objectContaining({ exitCode: 5e-324 }));
});

test('a todo list is a plan', () => {
  const todos = [{ content: 'A', status: 'in_progress', priority: 'low' }];
  const { drafts } = read([
    used({ status: 'completed', input: { todos }, output: '' }, 'todowrite'),
  ]);
  expect(drafts).toContainEqual({
    type: 'plan.updated',
    entries: [{ text: 'A', status: 'in_progress' }],
  });
});

test.each([
  [{ name: 'ProviderAuthError', data: { message: 'No login' } }, 'auth_missing'],
  [{ name: 'ContextOverflowError', data: { message: 'Too long' } }, 'context_too_long'],
  [{ name: 'APIError', data: { message: 'x', statusCode: 503 } }, 'overloaded'],
  [
    { name: 'APIError', data: { message: 'x', statusCode: 429, responseBody: 'current quota' } },
    'quota_exhausted',
  ],
  [{ name: 'UnknownError', data: { message: 'ProviderModelNotFoundError' } }, 'model_not_found'],
  [{ name: 'APIError', data: { message: 'Cannot connect to API: x' } }, 'network_unreachable'],
  [{ name: 'UnknownError', data: { message: 'Unexpected server error.' } }, 'agent_failed'],
  [{}, 'agent_failed'],
])('the error %o is %s', (error, code) => {
  expect(openCodeError(error).code).toBe(code);
});
