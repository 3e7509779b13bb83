import { describe, expect, test } from 'vitest';
import type { Action } from '../action.ts';
import { actionWords } from './action-words.ts';

describe('an action as text', () => {
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
    const words = (path: string) => actionWords('Read', { type: 'file.read', path }, '/projects/x');
    expect(words('/projects/x/src/a.ts')).toBe('Read src/a.ts');
    expect(words('/projects/xy/a.ts')).toBe('Read /projects/xy/a.ts');
    expect(words('/projects/x')).toBe('Read /projects/x');
    expect(words('a.ts')).toBe('Read a.ts');
  });

  test('of a type that this version does not know is its name', () => {
    expect(actionWords('Beam', { type: 'teleport' } as unknown as Action)).toBe('Beam');
  });
});
