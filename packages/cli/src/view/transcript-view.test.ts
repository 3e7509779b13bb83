import type { AgentEvent } from '@baton/protocol';
import { expect, test } from 'vitest';
import { errorLines } from './error-lines.ts';
import { eventText } from './transcript-view.ts';

const EVIL = '\u001b]52;c;eHh4\u0007\u009bx';

// A session that was imported can say anything in any of its fields.
test.each<object>([
  { type: 'run.started', backend: EVIL, transport: EVIL },
  { type: 'permission.resolved', decision: 'deny', by: EVIL, reason: EVIL },
  { type: 'notice', level: 'info', code: EVIL, message: EVIL },
  { type: 'plan.updated', entries: [{ status: EVIL, text: EVIL }] },
  { type: 'run.completed', outcome: 'failed', error: { code: EVIL, message: EVIL } },
])('a terminal obeys nothing of %o', (event) => {
  expect(eventText(event as AgentEvent)?.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
});

test.each<object>([
  { type: 'tool.completed', name: 'shell', outcome: 'ok' },
  { type: 'permission.requested', tool: 'shell' },
])('what cannot be seen in a command is marked in %o', (event) => {
  const action = { type: 'command', command: 'rm a\u202Eb  c\u00A0\nls' };
  expect(eventText({ ...event, action } as AgentEvent)).toMatch(
    /\$ rm a⟨U\+202E⟩b {2}c⟨U\+00A0⟩ ⏎ ls$/,
  );
});

test('a question has marks for what turns its writing, and so have its answers', () => {
  const questions = [{ question: 'Keep \u202Eabc\u200B?' }];
  const asked = { type: 'question.requested', questions } as AgentEvent;
  expect(eventText(asked)).toBe('? Keep ⟨U+202E⟩abc⟨U+200B⟩?');
  const given = { type: 'question.resolved', answers: { q: ['a\u202Eb'] }, by: 'person' };
  expect(eventText(given as unknown as AgentEvent)).toBe('  a⟨U+202E⟩b (person)');
});

test('a terminal obeys nothing of an error', () => {
  const [line] = errorLines({ code: EVIL, message: EVIL, retryable: false });
  expect(line).toBe('error (x): x');
});
