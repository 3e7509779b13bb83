import type { Entry } from '@baton/protocol';
import { expect, test } from 'vitest';
import { progressWords } from './progress-words.ts';

const COMMON = { key: 'k', cursor: 1, through: 1, time: 0, open: true };
const action = { type: 'command' as const, command: 'ls' };
const request = { requestId: 'r', tool: 'bash', action, scopes: ['once' as const] };
const change = { path: '/w/a', kind: 'add' as const };
const plan = [
  { text: 'Look', status: 'completed' as const },
  { text: 'Mend it', status: 'in_progress' as const },
];

test.each<[Entry, string]>([
  [
    { ...COMMON, kind: 'text', text: `${'x'.repeat(500)} the end.\n` },
    `${'x'.repeat(151)} the end.`,
  ],
  [{ ...COMMON, kind: 'thinking', text: 'Hm' }, 'Thinking …'],
  [{ ...COMMON, kind: 'tool', name: 'bash', action, output: '' }, '$ ls'],
  [{ ...COMMON, kind: 'permission', request }, 'Asks: $ ls'],
  [{ ...COMMON, kind: 'permission', request, open: false }, '$ ls'],
  [{ ...COMMON, kind: 'plan', entries: plan }, 'Mend it'],
  [{ ...COMMON, kind: 'file', change }, 'Edit a'],
  [{ ...COMMON, kind: 'stop' }, ''],
])('%j', (entry, words) => {
  expect(progressWords(entry, '/w')).toBe(words);
});
