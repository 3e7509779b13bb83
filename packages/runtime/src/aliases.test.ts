import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BACKEND_ALIASES, canonicalName, similarNames } from './aliases.ts';

const names = Object.entries(BACKEND_ALIASES).flatMap(([id, aliases]) =>
  [id, ...aliases].map((name) => [name, id] as const),
);

describe('the canonical name', () => {
  test.each(names)('of %s is %s', (name, id) => {
    expect(canonicalName(name)).toBe(id);
    expect(canonicalName(`  ${name.toUpperCase()}\n`)).toBe(id);
  });

  test('is its own canonical name, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.constantFrom(...names.map(([name]) => name))),
        (name) => {
          expect(canonicalName(canonicalName(name))).toBe(canonicalName(name));
        },
      ),
    );
  });

  test('of a stranger is only tidied up', () => {
    expect(canonicalName(' My-Backend ')).toBe('my-backend');
  });

  test('no name means two backends', () => {
    const all = names.map(([name]) => name);
    expect(all).toEqual([...new Set(all)]);
  });
});

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
    expect(similarNames(wrong)[0]).toBe(right);
  });

  test.each(['', 'xyzzy', 'a-very-long-name-of-nothing'])('%j is like nothing', (name) => {
    expect(similarNames(name)).toEqual([]);
  });

  test('a name is most like itself', () => {
    for (const [name] of names) expect(similarNames(name)[0]).toBe(name);
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
