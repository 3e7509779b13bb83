import { type Json, number, object, parseJson, string } from '@baton/config/values/json';
import { expect, test } from 'vitest';
import { piFormats } from '../../dialects/pi-json/reader.ts';
import {
  describeRecordings,
  type ExpectedEnd,
  type RecordedFacts,
} from '../../testing/describe-recordings.ts';
import { type Recording, recording, replayed } from '../../testing/recordings.ts';

const PI = { id: 'pi', label: 'Pi' };
const replay = (it: Pick<Recording, 'lines' | 'end'>) => replayed(PI, piFormats, it);

/** Expected end of each recording: outcome, error code, and the beginning of its output. */
const EXPECTED: Readonly<Record<string, ExpectedEnd>> = {
  'anthropic-api': ['done', undefined, 'All done after tool.'],
  'bad-mode': ['done', undefined, 'Hello from fake model.'],
  'bad-model': ['done', undefined, 'Hello from fake model.'],
  'bad-model2': ['failed', 'model_not_found', ''],
  continue: ['done', undefined, 'Hello from fake model.'],
  cutstream: ['failed', 'network_unreachable', ''],
  err401: ['failed', 'auth_missing', ''],
  'err401-text': ['failed', 'auth_missing', ''],
  err429: ['failed', 'quota_exhausted', ''],
  err500: ['failed', 'provider_error', ''],
  'missing-auth': ['failed', 'auth_missing', ''],
  'resume-session-bad': ['failed', 'session_not_found', ''],
  'rpc-abort': ['cancelled', 'interrupted', 'slow0 slow1 '],
  'rpc-basic': ['done', undefined, 'All done after tool.'],
  'sigint-pid': ['failed', 'interrupted', 'slow0 slow1'],
  'sigterm-during-tool': ['failed', 'interrupted', ''],
  'sigterm-pid': ['failed', 'interrupted', 'slow0 slow1'],
  text: ['done', undefined, 'All done after tool.'],
  think: ['done', undefined, 'Thought answer.'],
  'tool-fail': ['done', undefined, 'All done after tool.'],
  'tools-allowlist-denied': ['done', undefined, 'Let me run a command. '],
};

describeRecordings({
  agent: 'pi',
  backend: PI,
  dialects: piFormats,
  expected: EXPECTED,
  facts,
});

test('a command that ends with 3 is an error, with its exit code', () => {
  const { events } = replay(recording('pi', 'tool-fail'));
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'tool.completed',
      outcome: 'error',
      action: { type: 'command', command: 'echo oops >&2; exit 3', exitCode: 3 },
    }),
  );
});

test('a failure exits with 0, and its retries are notices', () => {
  const { end, ...recorded } = recording('pi', 'err500');
  expect(end.code).toBe(0);
  const { events, result } = replay({ ...recorded, end });
  expect(result.outcome).toBe('failed');
  const retries = events.filter((event) => event.type === 'notice' && event.code === 'retry');
  expect(retries).toHaveLength(3);
});

test('the cost of a run is the sum over its messages', () => {
  const { result } = replay(recording('pi', 'tool-fail'));
  expect(result.usage?.costUsd).toBeCloseTo(2 * 0.000131, 9);
  expect(result.usage?.totalTokens).toBe(240);
});

test('a recording without an exit code is complete when the agent has ended', () => {
  const { lines } = recording('pi', 'tool-fail');
  const end = { stderr: '' };
  expect(replay({ lines, end }).result.outcome).toBe('done');
  const before = lines.slice(0, -1);
  expect(replay({ lines: before, end }).result.error?.code).toBe('interrupted');
});

test('an id of a call may contain any character, and text U+2028', () => {
  const line = (event: object) => JSON.stringify(event);
  const [toolCallId, toolName] = ['call_1|fc_2', 'bash'];
  const content = [{ type: 'text', text: 'One\u2028two.' }];
  const { events, result } = replay({
    lines: [
      line({ type: 'agent_start' }),
      line({ type: 'tool_execution_start', toolCallId, toolName, args: { command: 'ls' } }),
      line({ type: 'tool_execution_end', toolCallId, toolName, result: { content: [] } }),
      line({ type: 'message_end', message: { role: 'assistant', content, stopReason: 'stop' } }),
    ],
    end: { code: 0, stderr: '' },
  });
  expect(result).toMatchObject({ outcome: 'done', output: 'One\u2028two.' });
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'tool.completed', callId: 'call_1|fc_2', outcome: 'ok' }),
  );
});

/** Reads the output of `pi --mode json` without the dialect. */
function facts({ lines }: Recording): RecordedFacts | undefined {
  const frames = lines.map((line) => object(parseJson(line)));
  if (!frames.some(({ type }) => type === 'agent_start')) return undefined;
  const of = (type: string) => frames.filter((frame) => frame.type === type);
  const messages = of('message_end')
    .map(({ message }) => object(message))
    .filter(({ role }) => role === 'assistant');
  const usages = messages.map(({ usage }) => object(usage));
  const sum = (read: (usage: Json) => number) =>
    usages.length === 0 ? undefined : usages.reduce((total, usage) => total + read(usage), 0);
  const of0 = (value: unknown) => number(value) ?? 0;
  const deltas = of('message_update')
    .map(({ assistantMessageEvent }) => object(assistantMessageEvent))
    .filter(({ type }) => type === 'text_delta')
    .map(({ delta }) => String(delta));
  const ended = of('tool_execution_end');
  const started = of('tool_execution_start').length;
  const states = of('response').map(({ data }) => string(object(data).sessionId));
  return {
    sessionId: string(of('session')[0]?.id) ?? states.find((id) => id !== undefined),
    said: deltas.join(''),
    tools: started,
    failedTools: started - ended.filter(({ isError }) => isError === false).length,
    inputTokens: sum(
      ({ input, cacheRead, cacheWrite }) => of0(input) + of0(cacheRead) + of0(cacheWrite),
    ),
    outputTokens: sum(({ output }) => of0(output)),
  };
}
