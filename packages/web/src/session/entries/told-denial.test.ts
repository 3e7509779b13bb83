import { foldTranscript, type LogEvent } from '@baton/protocol';
import { expect, test } from 'vitest';
import { isDenialTold } from './told-denial.ts';

const action = { type: 'command', command: 'ls' };

test.each([
  ['the reason that a person gave', 'c', 'Not today', ' Not today\n', true],
  ['something else', 'c', 'Not today', 'Not today, and never with a star', false],
  ['what nobody said', 'c', undefined, 'It was not allowed.', false],
  ['nothing', 'c', undefined, '', false],
  ['the reason for another tool', 'd', 'Not today', 'Not today', false],
])('a denied tool that printed %s', (_name, callId, reason, output, isTold) => {
  const entries = foldTranscript(
    log(
      { type: 'tool.started', callId: 'c', name: 'shell', action },
      { type: 'permission.requested', requestId: 'r', callId, tool: 'shell', action, scopes: [] },
      { type: 'permission.resolved', requestId: 'r', decision: 'deny', by: 'person', reason },
      { type: 'tool.completed', callId: 'c', name: 'shell', action, outcome: 'denied', output },
    ),
  );
  const tool = entries.find(({ kind }) => kind === 'tool');
  expect(tool?.kind === 'tool' && isDenialTold(tool, entries)).toBe(isTold);
});

function log(...bodies: object[]): LogEvent[] {
  return bodies.map((body, index) => {
    const cursor = index + 1;
    return { cursor, time: cursor, taskId: 't', runId: 'r', seq: cursor, ...body } as LogEvent;
  });
}
