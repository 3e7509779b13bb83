import type { Action } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import { actionWords, duration, usageWords } from './format.ts';
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
