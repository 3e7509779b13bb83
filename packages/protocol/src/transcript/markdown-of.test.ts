import { expect, test } from 'vitest';
import type { LogEvent } from '../session/session-event.ts';
import type { Entry } from './entry.ts';
import { markdownOf } from './markdown-of.ts';
import { foldTranscript } from './next-entry.ts';

const SESSION = {
  session_id: '1a2b3c4d-0000',
  title: 'Try',
  cwd: '/work',
  backend: 'demo',
  created_at: '2026-01-01T00:00:00.000Z',
};
const action = { type: 'command', command: 'cat a.md' };

test('prompts are quoted, and outputs stay in their fence', () => {
  const text = markdownOf(
    SESSION,
    entries(
      { type: 'prompt.queued', prompt: 'Look\nthere', backend: 'demo' },
      {
        ...{ type: 'tool.completed', callId: 'c', name: 'shell', action, outcome: 'ok' },
        ...{ output: '```\nx', durationMs: 1200 },
      },
      { type: 'message.completed', messageId: 'm', kind: 'text', text: 'Done.\u001b[2J' },
    ),
    [],
  );
  expect(text).toBe(
    [
      '# Try',
      '`demo` in `/work`, started 2026-01-01T00:00:00.000Z, session `1a2b3c4d-0000`',
      '## Prompt for `demo`, 1970-01-01T00:00:00.001Z',
      '> Look\n> there',
      '✓ `$ cat a.md` (1.2 s)',
      '````\n```\nx\n````',
      'Done.\n',
    ].join('\n\n'),
  );
});

test('what cannot be seen in commands and paths is marked, and a second line looks like one', () => {
  const hidden = { type: 'command', command: 'date  # now\u202E\necho x' };
  const text = markdownOf(
    { ...SESSION, cwd: '/wo\u200Brk' },
    entries(
      { type: 'tool.completed', callId: 'c', name: 'shell', action: hidden, outcome: 'ok' },
      { type: 'permission.requested', requestId: '1', tool: 'shell', action: hidden, scopes: [] },
      { type: 'file.changed', path: 'a\nb\u00A0', kind: 'add' },
    ),
    [],
  );
  const [, head, ...parts] = text.trim().split('\n\n');
  expect(head).toContain('`demo` in `/wo⟨U+200B⟩rk`');
  expect(parts).toEqual([
    '✓ `$ date  # now⟨U+202E⟩ ⏎ echo x`',
    '**Permission request:** `$ date  # now⟨U+202E⟩ ⏎ echo x` — not answered',
    'Changed `a ⏎ b⟨U+00A0⟩`',
  ]);
});

test('a prompt is where its turn starts, and at the end while it is queued', () => {
  const prompt = { type: 'prompt.queued', backend: 'demo' };
  const said = (taskId: string, text: string) => ({
    ...{ type: 'message.completed', messageId: text, kind: 'text', text, taskId },
  });
  const text = markdownOf(
    SESSION,
    entries(
      { ...prompt, prompt: 'One', taskId: '1' },
      { ...prompt, prompt: 'Two', taskId: '2' },
      { ...prompt, prompt: 'Three', taskId: '3' },
      { ...prompt, prompt: 'Four', taskId: '4' },
      { type: 'stop.requested', taskId: '4' },
      { type: 'run.completed', taskId: '4', outcome: 'cancelled', output: '', durationMs: 0 },
      said('1', 'First.'),
      { type: 'run.completed', taskId: '1', outcome: 'done', output: '', durationMs: 0 },
      said('2', 'Second.'),
    ),
    [],
  );
  const found = text.match(/One|Two|Three|Four|First|Second/g);
  expect(found).toEqual(['One', 'Four', 'First', 'Two', 'Second', 'Three']);
  expect(text).toContain('_Cancelled while queued:_\n\n> Four');
  expect(text).not.toContain('**cancelled**');
});

test('what went along with a prompt is named', () => {
  const prompt = { type: 'prompt.queued', prompt: 'Look', backend: 'demo' };
  const text = markdownOf(SESSION, entries({ ...prompt, attachments: ['a', 'b'] }), [
    { attachment_id: 'a', name: 'my `notes`.txt' },
  ]);
  expect(text).toContain('> Look\n\nAttached: `` my `notes`.txt ``, `a deleted file`\n');
});

test('a request is shown with its answer, reason, and what settled it', () => {
  const asked = (requestId: string) => ({
    ...{ type: 'permission.requested', requestId, tool: 'shell', action, scopes: ['once'] },
  });
  const resolved = (requestId: string, answer: object) => ({
    ...{ type: 'permission.resolved', requestId, ...answer },
  });
  const always = { decision: 'allow', scope: 'always' };
  const question = { question: 'Tea?', options: [], multiple: false, freeText: true };
  const text = markdownOf(
    SESSION,
    entries(
      asked('1'),
      { type: 'answer.given', requestId: '1', answer: always, by: 'someone' },
      resolved('1', { decision: 'allow', scope: 'once', by: 'person' }),
      asked('2'),
      resolved('2', { decision: 'deny', by: 'person', reason: 'Too\nearly' }),
      asked('3'),
      resolved('3', { decision: 'allow', scope: 'once', by: 'policy' }),
      asked('4'),
      asked('7'),
      resolved('7', { decision: 'deny', by: 'stop', reason: 'The run is being stopped.' }),
      { type: 'question.requested', requestId: '5', questions: [{ id: 'q', ...question }] },
      { type: 'question.resolved', requestId: '5', answers: { q: ['Yes', 'two'] }, by: 'person' },
      { type: 'question.requested', requestId: '6', questions: [{ id: 'q', ...question }] },
      { type: 'question.resolved', requestId: '6', by: 'timeout' },
      { type: 'notice', level: 'info', code: 'steered', message: 'Hurry\nup' },
    ),
    [],
  );
  const may = '**Permission request:** `$ cat a.md` —';
  expect(text.split('\n\n').slice(2)).toEqual([
    `${may} allowed permanently`,
    `${may} denied: Too early`,
    `${may} allowed once by a rule`,
    `${may} not answered`,
    `${may} not answered because the task was stopped`,
    '**Tea?** — Yes, two',
    '**Tea?** — not answered because no one answered in time',
    '_Steered:_',
    '> Hurry\n> up\n',
  ]);
});

function entries(...bodies: object[]): Entry[] {
  return foldTranscript(
    bodies.map((body, index) => {
      const cursor = index + 1;
      return { cursor, time: cursor, taskId: 't', runId: 'r', seq: cursor, ...body } as LogEvent;
    }),
  );
}
