import { type Json, number, object, parseJson, string } from '@baton/config/values/json';
import { expect, test } from 'vitest';
import {
  describeRecordings,
  type ExpectedEnd,
  type RecordedFacts,
} from '../../testing/describe-recordings.ts';
import { type Recording, recording, replayed } from '../../testing/recordings.ts';
import { openCodeDialects } from './backend.ts';

const OPENCODE = { id: 'opencode-cli', label: 'OpenCode' };
const replay = (it: Pick<Recording, 'lines' | 'end'>) => replayed(OPENCODE, openCodeDialects, it);

/** Expected end of each recording: outcome, error code, and the beginning of its output. */
const EXPECTED: Readonly<Record<string, ExpectedEnd>> = {
  'acp-cancel': ['cancelled', 'interrupted', 'slow'],
  'acp-perm-allow': ['done', undefined, 'All done after tool.'],
  'acp-perm-reject': ['done', undefined, 'I will write a file. '],
  'acp-success': ['done', undefined, 'Hello from fake model.'],
  'bad-provider': ['failed', 'agent_failed', ''],
  'dash-prompt': ['failed', 'usage', ''],
  err400: ['failed', 'request_rejected', ''],
  err401: ['failed', 'auth_missing', ''],
  err429: ['failed', 'agent_crashed', ''],
  err500: ['failed', 'provider_error', ''],
  fork: ['done', undefined, 'Hello from fake model.'],
  hang: ['failed', 'agent_crashed', ''],
  long: ['done', undefined, 'line 0 xxx'],
  'missing-auth': ['failed', 'agent_crashed', ''],
  'missing-auth-anthropic': ['failed', 'agent_failed', ''],
  'no-message': ['failed', 'usage', ''],
  'perm-ask-noauto': ['failed', 'permission_denied', 'Let me run a command. '],
  'resume-session': ['done', undefined, 'Hello from fake model.'],
  serve: ['failed', 'auth_missing', 'slow0 slow1'],
  'sigterm-pid': ['failed', 'interrupted', ''],
  success: ['done', undefined, 'Hello from fake model.'],
  'text-format': ['done', undefined, 'Let me run a command.'],
  think: ['done', undefined, 'Thought answer.'],
  'think-noflag': ['done', undefined, 'Thought answer.'],
  'tool-bash': ['done', undefined, 'All done after tool.'],
  'tool-fail': ['done', undefined, 'All done after tool.'],
  'tool-read-outside': ['failed', 'permission_denied', ''],
  'tool-read-outside-auto': ['done', undefined, 'All done after tool.'],
  unicode: ['done', undefined, 'Unicode: héllo'],
};

describeRecordings({
  agent: 'opencode',
  backend: OPENCODE,
  dialects: openCodeDialects,
  expected: EXPECTED,
  facts,
});

test('a command that ends with 3 is an error, with its exit code', () => {
  expect(completed('tool-fail')).toEqual([
    expect.objectContaining({
      outcome: 'error',
      action: { type: 'command', command: 'echo oops >&2; exit 3', exitCode: 3 },
    }),
  ]);
});

test('a tool that nobody could allow is denied', () => {
  expect(completed('perm-ask-noauto').map(({ outcome }) => outcome)).toEqual(['denied']);
  const { events } = replay(recording('opencode', 'perm-ask-noauto'));
  expect(events).toContainEqual(
    expect.objectContaining({
      message: expect.stringContaining('could not ask for permission'),
    }),
  );
});

test('the server tells the answers to its requests', () => {
  const { events } = replay(recording('opencode', 'serve'));
  const decisions = events.flatMap((event) =>
    event.type === 'permission.resolved' ? [[event.decision, event.synthetic]] : [],
  );
  expect(decisions).toEqual([
    ['allow', true],
    ['deny', true],
  ]);
  expect(completed('serve').map(({ outcome }) => outcome)).toEqual(['ok', 'denied']);
});

function completed(name: string) {
  const { events } = replay(recording('opencode', name));
  return events.flatMap((event) => (event.type === 'tool.completed' ? [event] : []));
}

/** Reads the output of `opencode run --format json` without the dialect. */
function facts({ lines }: Recording): RecordedFacts | undefined {
  const frames = lines.map((line) => object(parseJson(line)));
  const parts = (type: string) =>
    frames.filter((frame) => frame.type === type).map(({ part }) => object(part));
  if (parts('step_start').length === 0) return undefined;
  const uses = parts('tool_use').map(({ state }) => object(state));
  const failed = uses.filter(
    ({ status, metadata }) => status === 'error' || Boolean(object(metadata).exit),
  );
  const steps = parts('step_finish').map(({ tokens }) => object(tokens));
  const sum = (read: (tokens: Json) => number) =>
    steps.length === 0 ? undefined : steps.reduce((total, step) => total + read(step), 0);
  const count = (value: unknown) => number(value) ?? 0;
  return {
    sessionId: string(frames[0]?.sessionID),
    said: parts('text')
      .map(({ text }) => String(text))
      .join(''),
    tools: uses.length,
    failedTools: failed.length,
    inputTokens: sum(
      ({ input, cache }) => count(input) + count(object(cache).read) + count(object(cache).write),
    ),
    outputTokens: sum(({ output, reasoning }) => count(output) + count(reasoning)),
  };
}
