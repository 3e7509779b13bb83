import { expect, test } from 'vitest';
import { disambiguateTitles } from './disambiguate-titles.ts';

const session = (session_id: string, title: string, minute: number) => {
  return { session_id, title, cwd: '/work', created_at: `2026-01-01T00:0${minute}:00.000Z` };
};

test('sessions with the same name are numbered from the second one', () => {
  const numbers = disambiguateTitles([
    session('retry', 'Mend it', 3),
    session('other', 'Paint it', 2),
    session('origin', 'Mend it', 1),
    session('fork', 'Mend it', 2),
  ]);
  expect(Object.fromEntries(numbers)).toEqual({ fork: 2, retry: 3 });
});

test('those without a title go by their folder', () => {
  const numbers = disambiguateTitles([session('one', '', 1), session('two', '', 2)]);
  expect(Object.fromEntries(numbers)).toEqual({ two: 2 });
});
