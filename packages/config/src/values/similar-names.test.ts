import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { similarNames } from './similar-names.ts';

const NAMES = ['claude-cli', 'claude', 'codex-cli', 'codex', 'gemini', 'opencode', 'amp', 'demo'];

describe('a mistyped name', () => {
  test.each([
    ['claud', 'claude'],
    ['cladue', 'claude'],
    ['codx', 'codex'],
    ['cdoex', 'codex'],
    ['apm', 'amp'],
    ['gemni', 'gemini'],
    ['opncode', 'opencode'],
    ['CODEX-CL', 'codex-cli'],
  ])('%s may be %s', (wrong, right) => {
    expect(similarNames(wrong, NAMES)[0]).toBe(right);
  });

  test.each(['', 'xyzzy', 'a-very-long-name-of-nothing'])('%j is like nothing', (name) => {
    expect(similarNames(name, NAMES)).toEqual([]);
  });

  test('a name is most like itself', () => {
    for (const name of NAMES) expect(similarNames(name, NAMES)[0]).toBe(name);
  });

  test('at most three are suggested, and only from the given names', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), (name, known) => {
        const similar = similarNames(name, known);
        expect(similar.length).toBeLessThanOrEqual(3);
        for (const each of similar) expect(known).toContain(each);
      }),
    );
  });
});
