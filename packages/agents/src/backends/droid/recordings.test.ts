import { type Json, number, object, parseJson, string } from '@baton/config/values/json';
import { expect, test } from 'vitest';
import {
  describeRecordings,
  type ExpectedEnd,
  type RecordedFacts,
} from '../../testing/describe-recordings.ts';
import { type Recording, recording, replayed } from '../../testing/recordings.ts';
import { droidDialects } from './backend.ts';

const DROID = { id: 'droid', label: 'Droid' };
const replay = (it: Pick<Recording, 'lines' | 'end'>) => replayed(DROID, droidDialects, it);

const HELLO = 'Hello from fake model.';
const AFTER = 'All done after tool.';

/** Expected end of each recording: outcome, error code, and the beginning of its output. */
const EXPECTED: Readonly<Record<string, ExpectedEnd>> = {
  'acp-perm-allow': ['done', undefined, `I will write a file. ${AFTER}`],
  'acp-perm-reject': ['done', undefined, ''],
  'bad-flag': ['failed', 'usage', ''],
  'bad-format': ['failed', 'usage', ''],
  'byok-no-key-no-base': ['done', undefined, HELLO],
  err500: ['failed', 'agent_crashed', ''],
  'input-stream-json': ['failed', 'usage', ''],
  'jsonrpc-interrupt': ['cancelled', 'interrupted', 'slow0 slow1 '],
  'jsonrpc-perm-reject': ['done', undefined, 'I will write a file. '],
  'list-tools': ['done', undefined, 'Available tools for Fake'],
  'missing-auth-stream-json': ['failed', 'auth_missing', ''],
  'missing-auth-text': ['failed', 'auth_missing', ''],
  'no-prompt': ['failed', 'agent_crashed', ''],
  'resume-bad': ['done', undefined, HELLO],
  'resume-session-id': ['done', undefined, HELLO],
  'sigint-pid': ['failed', 'output_truncated', ''],
  'sigterm-during-tool': ['done', undefined, AFTER],
  'sigterm-pid': ['failed', 'output_truncated', ''],
  'success-debug': ['done', undefined, HELLO],
  'success-json': ['done', undefined, HELLO],
  'success-stream-json': ['done', undefined, HELLO],
  'success-text': ['done', undefined, HELLO],
  'tool-readonly-default': ['done', undefined, AFTER],
  'tool-riskhigh-auto-high': ['done', undefined, AFTER],
  'tool-riskhigh-auto-low': ['failed', 'permission_denied', 'Exec ended early'],
  'tool-rm-auto-high': ['done', undefined, AFTER],
  'tool-rm-default-readonly': ['done', undefined, AFTER],
  'tool-skip-perms': ['done', undefined, AFTER],
  'tool-write-default-denied': ['done', undefined, 'I will write a file. '],
  unicode: ['done', undefined, 'Unicode: héllo — 日本語 🚀'],
};

describeRecordings({
  agent: 'droid',
  backend: DROID,
  dialects: droidDialects,
  expected: EXPECTED,
  facts,
});

test('a command that exits 3 is an error, and a call that nobody allowed is denied', () => {
  const outcomes = (name: string) =>
    replay(recording('droid', name)).events.flatMap((event) =>
      event.type === 'tool.completed' ? [event.outcome] : [],
    );
  expect(outcomes('tool-skip-perms')).toEqual(['error']);
  expect(outcomes('tool-riskhigh-auto-low')).toEqual(['denied']);
  expect(outcomes('acp-perm-reject')).toEqual(['denied']);
  expect(outcomes('jsonrpc-perm-reject')).toEqual(['denied']);
});

test('the answers that a recording does not have are inferred', () => {
  const decisions = (name: string) =>
    replay(recording('droid', name)).events.flatMap((event) =>
      event.type === 'permission.resolved' ? [[event.decision, event.synthetic]] : [],
    );
  expect(decisions('acp-perm-reject')).toEqual([['deny', true]]);
  expect(decisions('jsonrpc-perm-reject')).toEqual([['deny', true]]);
});

/** Reads the raw lines without the dialects. */
function facts({ lines }: Recording): RecordedFacts {
  const frames = lines.map((line) => object(parseJson(line)));
  const news = frames.flatMap(({ params }) => {
    const { notification, update } = object(params);
    return [object(notification ?? update)];
  });
  const results = [
    ...frames.filter(({ type }) => type === 'tool_result'),
    ...news.filter(({ type }) => type === 'tool_result'),
    ...news.filter(({ status }) => status === 'failed' || status === 'completed'),
  ];
  const ids = frames.map(({ session_id: id, result }) => id ?? object(result).sessionId);
  const final = frames.find(({ type }) => type === 'completion' || type === 'result');
  const error = frames.find(({ type }) => type === 'error');
  const [inputTokens, outputTokens] = tokensOf(final, news);
  return {
    sessionId: string(ids.find((id) => typeof id === 'string')),
    tools: results.length,
    failedTools: results.filter(({ isError, status }) => isError === true || status === 'failed')
      .length,
    inputTokens,
    outputTokens,
    text: string(final?.finalText ?? final?.result),
    error: string(error?.message)?.replace('Error: ', ''),
  };
}

function tokensOf(final: Json | undefined, news: readonly Json[]): (number | undefined)[] {
  const printed = object(final?.usage);
  if ('input_tokens' in printed) {
    const cached = sum(printed.cache_read_input_tokens, printed.cache_creation_input_tokens);
    return [sum(printed.input_tokens, cached), number(printed.output_tokens)];
  }
  const turn = object(news.find(({ type }) => type === 'agent_turn_completed')?.tokenUsage);
  if (!('inputTokens' in turn)) return [undefined, undefined];
  const cached = sum(turn.cacheReadTokens, turn.cacheCreationTokens);
  return [sum(turn.inputTokens, cached), number(turn.outputTokens)];
}

function sum(...values: unknown[]): number {
  return values.reduce<number>((total, value) => total + (number(value) ?? 0), 0);
}
