import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toml, tomlSettings } from './toml.ts';

/** A basic string of TOML: everything but control characters, quote and backslash may stand unescaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const BASIC_STRING = /^"(?:[^\u0000-\u001f\u007f"\\]|\\(?:[btnfr"\\]|u[0-9a-f]{4}))*"$/u;

test('any text becomes one basic string of TOML, on one line, that reads as the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const written = toml(text);
      expect(written).toMatch(BASIC_STRING);
      expect(decode(written)).toBe(text.toWellFormed());
    }),
    { numRuns: 500 },
  );
});

test('a lone surrogate, which TOML cannot represent, is replaced', () => {
  expect(decode(toml('a\ud800b'))).toBe('a\ufffdb');
});

test('values become inline tables and arrays, without missing ones', () => {
  const value = { a: [1, true, null, 'x'], 'b c': { d: undefined, e: 0.5 } };
  expect(toml(value)).toBe('{"a" = [1, true, "x"], "b c" = {"e" = 0.5}}');
});

test('settings become dotted keys as far as keys can be dotted', () => {
  const settings = {
    model: 'gpt',
    features: { goals: true, nested: { deep: 1 } },
    'tools.web_search': false,
    projects: { '/a.b': { trust_level: 'trusted' } },
    nothing: null,
    empty: {},
  };
  expect(tomlSettings(settings)).toEqual([
    'model="gpt"',
    'features.goals=true',
    'features.nested.deep=1',
    'tools.web_search=false',
    'projects={"/a.b" = {"trust_level" = "trusted"}}',
    'empty={}',
  ]);
});

/** Reads a basic string of TOML. */
function decode(written: string): string {
  const escapes: Record<string, string> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r' };
  return written
    .slice(1, -1)
    .replaceAll(/\\(?:u([0-9a-f]{4})|(.))/g, (_, code: string | undefined, letter: string) =>
      code === undefined
        ? (escapes[letter] ?? letter)
        : String.fromCharCode(Number.parseInt(code, 16)),
    );
}
