import type { Action } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import { actionWords, ago, duration, roughly, usageWords } from './format.ts';
import { launchLine } from './launch.ts';

test.each([
  [0, '0 ms'],
  [340.4, '340 ms'],
  [999.6, '1.0 s'],
  [12_340, '12.3 s'],
  [59_949, '59.9 s'],
  [59_999, '1 min 00 s'],
  [245_000, '4 min 05 s'],
  [3_600_000, '60 min 00 s'],
])('%d milliseconds are %s', (milliseconds, words) => {
  expect(duration(milliseconds)).toBe(words);
});

test.each([
  [-5, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [3_599_999, '59 min'],
  [3_600_000, '1 h'],
  [12_000_000, '3 h 20 min'],
  [86_400_000, '1 d'],
  [360_000_000, '4 d 4 h'],
])('%d milliseconds are roughly %s', (milliseconds, words) => {
  expect(roughly(milliseconds)).toBe(words);
});

test('a moment is told by how long ago it was', () => {
  expect(ago('2026-01-01T00:00:00.000Z', Date.parse('2026-01-01T00:05:10.000Z'))).toBe('5 min ago');
});

test.each([
  [undefined, []],
  [{}, []],
  [{ totalTokens: 0, costUsd: 0 }, []],
  [{ totalTokens: 1234567 }, ['1,234,567 tokens']],
  [{ costUsd: 0.0123 }, ['$0.0123']],
  [{ totalTokens: 5, costUsd: 1.5 }, ['5 tokens', '$1.50']],
])('usage %j is told as %j', (usage, words) => {
  expect(usageWords(usage)).toEqual(words);
});

describe('an action in words', () => {
  test.each<[Action, string]>([
    [{ type: 'command', command: 'ls' }, '$ ls'],
    [{ type: 'file.read', path: 'a' }, 'Read a'],
    [
      {
        type: 'file.edit',
        changes: [
          { path: 'a', kind: 'add' },
          { path: 'b', kind: 'edit' },
        ],
      },
      'Edit a, b',
    ],
    [{ type: 'file.edit', changes: [{ path: 'a', kind: 'rename', newPath: 'b' }] }, 'Edit a → b'],
    [{ type: 'file.edit', changes: [{ path: 'a', kind: 'delete' }] }, 'Delete a'],
    [
      {
        type: 'file.edit',
        changes: [
          { path: 'a', kind: 'delete' },
          { path: 'b', kind: 'edit' },
        ],
      },
      'Edit a (deleted), b',
    ],
    [{ type: 'search', query: 'x' }, 'Search x'],
    [{ type: 'fetch', url: 'u' }, 'Fetch u'],
    [{ type: 'fetch', query: 'q' }, 'Fetch q'],
    [{ type: 'plan' }, 'Plan'],
    [{ type: 'subagent', description: 'd' }, 'Sub-agent d'],
    [{ type: 'mcp', server: 's', tool: 't' }, 's · t'],
    [{ type: 'other' }, 'Tool'],
    [{ type: 'other', description: 'd' }, 'Tool: d'],
  ])('%j', (action, words) => {
    expect(actionWords('Tool', action)).toBe(words);
  });

  test('has short paths inside the working directory, and whole ones outside', () => {
    const words = (path: string) => actionWords('Read', { type: 'file.read', path }, '/work/x');
    expect(words('/work/x/src/a.ts')).toBe('Read src/a.ts');
    expect(words('/work/xy/a.ts')).toBe('Read /work/xy/a.ts');
    expect(words('/work/x')).toBe('Read /work/x');
    expect(words('a.ts')).toBe('Read a.ts');
  });

  test('of a type that this version does not know is its name', () => {
    expect(actionWords('Beam', { type: 'teleport' } as unknown as Action)).toBe('Beam');
  });
});

test('a launched command can be pasted into a shell', () => {
  const args = ['plain', 'two words', "it's", '', '$HOME', '\u001b[31m'];
  expect(launchLine({ file: '/bin/x', args, cwd: '/w', transport: 'live' })).toBe(
    "command (live, in /w): /bin/x plain 'two words' 'it'\\''s' '' '$HOME' ''",
  );
});
