import type { LogEvent } from '@baton/protocol';
import { expect, test } from 'vitest';
import { UnparsedCount } from '../view/transcript-view.ts';
import { logText } from './log-text.ts';

const at = { cursor: 1, taskId: 't', runId: 'r', seq: 1, time: 1 };

function said(event: Record<string, unknown> & { type: string }): LogEvent {
  return { ...at, ...event } as unknown as LogEvent;
}

const STRANGE = said({ type: 'unparsed', source: 'stdout', line: '{"type":"brand_new"}' });
const DONE = said({ type: 'run.completed', outcome: 'done', output: '', durationMs: 1 });

test('unrecognized lines are one line at the end of their run', () => {
  const unparsed = new UnparsedCount();
  expect([STRANGE, STRANGE].map((event) => [unparsed.see(event), logText(event)])).toEqual([
    [undefined, undefined],
    [undefined, undefined],
  ]);
  expect(unparsed.see(DONE)).toBe('?? 2 lines of unrecognized output; --json has them');
  expect(unparsed.see(DONE)).toBeUndefined();
});

test('a call with an edited input shows what was allowed', () => {
  const action = { type: 'command', command: 'echo changed' };
  const resolved = { requestId: 'q', decision: 'allow', by: 'person', input: {}, action };
  expect(logText(said({ type: 'permission.resolved', ...resolved }))).toBe(
    '  allow (person), edited: $ echo changed',
  );
});

test('output that the agent truncated is marked', () => {
  const wholeOutput = { path: '/home/a/out.txt', bytes: 48_894 };
  const action = { type: 'command', command: 'seq 9' };
  const call = { callId: 'c', name: 'Bash', action, outcome: 'ok', output: '1', wholeOutput };
  expect(logText(said({ type: 'tool.completed', ...call }))).toBe(
    '[ok] $ seq 9\n    1\n    [The agent cut this output of 48,894 bytes: /home/a/out.txt]',
  );
});
