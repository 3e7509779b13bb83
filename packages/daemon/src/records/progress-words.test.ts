import type { Entry } from '@baton/protocol';
import { expect, test } from 'vitest';
import { progressWords } from './progress-words.ts';

const COMMON = { key: 'k', cursor: 1, through: 1, time: 0, open: true };
const action = { type: 'command' as const, command: 'ls' };
const turned = { ...action, command: 'ls # \u202Eb\nls' };
const request = { requestId: 'r', tool: 'bash', action, scopes: ['once' as const] };
const change = { path: '/w/a', kind: 'add' as const };
const plan = [
  { text: 'Look', status: 'completed' as const },
  { text: 'Mend it', status: 'in_progress' as const },
];

test.each<[Entry, string]>([
  [{ ...COMMON, kind: 'thinking', text: 'Hm' }, 'Thinking…'],
  [{ ...COMMON, kind: 'tool', name: 'bash', action, output: '' }, '$ ls'],
  [{ ...COMMON, kind: 'permission', request }, 'Asks: $ ls'],
  [{ ...COMMON, kind: 'permission', request, open: false }, '$ ls'],
  [{ ...COMMON, kind: 'tool', name: 'bash', action: turned, output: '' }, '$ ls # ⟨U+202E⟩b ⏎ ls'],
  [{ ...COMMON, kind: 'plan', entries: plan }, 'Mend it'],
  [{ ...COMMON, kind: 'file', change }, 'Edit a'],
  [{ ...COMMON, kind: 'stop' }, ''],
  [
    { ...COMMON, kind: 'notice', level: 'info', code: 'c', message: 'x'.repeat(161) },
    `${'x'.repeat(159)}…`,
  ],
])('%#: describes an entry in one line', (entry, words) => {
  expect(progressWords(entry, '/w')).toBe(words);
});

test.each<[text: string, words: string]>([
  ['', ''],
  ['I look. Sentence number 19 goes on\n', 'Sentence number 19 goes on'],
  ['Done. I use e.g. this one.', 'I use e.g. this one.'],
  ['## Plan\n- the first\n- the second part', '- the second part'],
  ['The end:\n```\n', 'The end:'],
  ['窓を拭きます。扉を直します。', '扉を直します。'],
  [`First. ${'word '.repeat(100)}and the end`, `… ${'word '.repeat(29)}and the end`],
  ['x'.repeat(5000), `…${'x'.repeat(159)}`],
  ['😀'.repeat(500), `…${'😀'.repeat(79)}`],
])('shows the last sentence or line of a text (%#)', (text, words) => {
  const line = progressWords({ ...COMMON, kind: 'text', text }, '/w');
  expect(line).toBe(words);
  expect(line.length).toBeLessThanOrEqual(160);
});
