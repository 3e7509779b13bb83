import { expect, test } from 'vitest';
import { sessionTitle } from './session-title.ts';

test('marks what turns the direction of a title or cannot be seen', () => {
  expect(sessionTitle({ title: 'Fix \u202Egnp.exe\u001B[31m', cwd: '/x' })).toBe(
    'Fix ⟨U+202E⟩gnp.exe⟨U+001B⟩[31m',
  );
  expect(sessionTitle({ title: '', cwd: '/a\u2067b' })).toBe('/a⟨U+2067⟩b');
  expect(sessionTitle({ title: 'Schöne Grüße \u{1F469}\u200D\u{1F4BB}', cwd: '/' })).toBe(
    'Schöne Grüße \u{1F469}\u200D\u{1F4BB}',
  );
});
