import { stripVTControlCharacters } from 'node:util';
import type { Action } from '@baton/protocol';
import { expect, test } from 'vitest';
import { choiceLines, details } from './ask-permission.ts';

const CHOICES = [
  ['y', 'yes'],
  ['s', 'yes, for this session'],
  ['a', 'always'],
  ['n', 'no'],
  ['r', 'no, with a reason'],
  ['d', 'details'],
] as const;

test.each([40, 80, 100])('choices are broken between them at %d columns', (columns) => {
  const lines = stripVTControlCharacters(choiceLines(CHOICES, columns)).split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(columns);
  expect(lines.join('')).toBe(`${CHOICES.map(([key, words]) => `  [${key}] ${words}`).join('')} `);
  for (const line of lines) expect(line).toMatch(/^ {2}\[/);
});

test('a terminal that is too narrow for one choice has one on each line', () => {
  expect(choiceLines(CHOICES, 5).split('\n')).toHaveLength(CHOICES.length);
});

test('the details show what cannot be seen in a command, a path and an input', () => {
  const path = 'a\u202Etxt';
  const diff = '+x\u2066\r\n+می\u200Cخواهم\u001B[2J\n';
  expect(detailsOf({ type: 'command', command: 'date\u200B\necho' })).toBe(
    '    date⟨U+200B⟩\n    echo',
  );
  expect(detailsOf({ type: 'file.edit', changes: [{ path, kind: 'edit', diff }] })).toBe(
    '  a⟨U+202E⟩txt\n    +x⟨U+2066⟩\n    +می\u200Cخواهم⟨U+001B⟩[2J\n    ',
  );
  expect(detailsOf({ type: 'other' }, { url: 'x\uFEFF' })).toContain('"url": "x\\ufeff"');
});

test('the details show where a command runs, and what becomes of each file', () => {
  expect(detailsOf({ type: 'command', command: 'ls', cwd: '/tmp/a\nb' })).toBe(
    '    ls\n  in /tmp/a ⏎ b',
  );
  const changes = [
    { path: 'a\nb  c', kind: 'delete' as const },
    { path: 'old', kind: 'rename' as const, newPath: 'new\u200B', diff: '-x\n+y' },
  ];
  expect(detailsOf({ type: 'file.edit', changes })).toBe(
    '  a ⏎ b  c (deleted)\n  old → new⟨U+200B⟩\n    -x\n    +y',
  );
});

function detailsOf(action: Action, input?: unknown): string {
  const request = { requestId: 'r', tool: 'tool', action, input, scopes: ['once' as const] };
  return stripVTControlCharacters(details(request));
}
