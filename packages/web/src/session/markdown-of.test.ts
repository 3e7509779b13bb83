import { type Entry, foldTranscript, type LogEvent } from '@baton/protocol';
import { expect, test } from 'vitest';
import { markdownOf } from './markdown-of.ts';

const SESSION = { title: 'Try', cwd: '/work', backend: 'demo' };

test('prompts are quoted, and outputs stay in their fence', () => {
  const action = { type: 'command', command: 'cat a.md' };
  const text = markdownOf(
    SESSION,
    entries(
      { type: 'prompt.queued', prompt: 'Look\nthere', backend: 'demo' },
      {
        type: 'tool.completed',
        callId: 'c',
        name: 'shell',
        action,
        outcome: 'ok',
        output: '```\nx',
      },
      { type: 'message.completed', messageId: 'm', kind: 'text', text: 'Done.' },
    ),
  );
  expect(text).toBe(
    [
      '# Try',
      'demo in /work',
      '## 1970-01-01T00:00:00.001Z',
      '> Look\n> there',
      '**$ cat a.md** (ok)',
      '````\n```\nx\n````',
      'Done.\n',
    ].join('\n\n'),
  );
});

function entries(...bodies: object[]): Entry[] {
  return foldTranscript(
    bodies.map((body, index) => {
      const cursor = index + 1;
      return { cursor, time: cursor, taskId: 't', runId: 'r', seq: cursor, ...body } as LogEvent;
    }),
  );
}
