import { foldTranscript, type LogEvent } from '@baton/protocol';
import { expect, test } from 'vitest';
import { entrySize } from './entry-size.ts';

const call = { callId: 'c', name: 'n' };

test.each([
  [{ type: 'prompt.queued', prompt: '12345', backend: 'demo' }, 5],
  [{ type: 'message.completed', messageId: 'm', kind: 'text', text: '1234' }, 4],
  [{ type: 'unparsed', source: 'stdout', line: '123' }, 0],
  [{ type: 'file.changed', path: 'a', kind: 'edit', diff: '12' }, 2],
  [{ type: 'file.changed', path: 'a', kind: 'delete' }, 0],
  [{ type: 'tool.completed', ...call, action: { type: 'other' }, output: '123456' }, 6],
  [{ type: 'tool.completed', ...call, output: '12', action: edit('123', undefined, '4') }, 6],
  [{ type: 'plan.updated', entries: [] }, 0],
])('%j has %i characters', (body, size) => {
  const event = { outcome: 'ok', ...body, cursor: 1, seq: 1, time: 1, taskId: 't', runId: 'r' };
  const sizes = foldTranscript([event as unknown as LogEvent]).map(entrySize);
  expect(sizes).toEqual([size]);
});

function edit(...diffs: (string | undefined)[]) {
  const changes = diffs.map((diff) => ({ path: 'a', kind: 'edit', diff }));
  return { type: 'file.edit', changes };
}
