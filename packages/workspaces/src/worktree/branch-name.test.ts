import { expect, test } from 'vitest';
import { slugOf } from './branch-name.ts';

test.each([
  ['Fix the login page', 'fix-the-login-page'],
  ['Größe der Äpfel prüfen!', 'grosse-der-apfel-prufen'],
  ['../../etc/passwd; rm -rf $HOME', 'etc-passwd-rm-rf-home'],
  ['--force', 'force'],
  ['日本語だけ', 'task'],
  ['', 'task'],
  ['a'.repeat(60), 'a'.repeat(40)],
  [
    'Refactor the authentication middleware of the public API',
    'refactor-the-authentication-middleware',
  ],
])('names a branch after a prompt: %s', (text, slug) => {
  expect(slugOf(text)).toBe(slug);
});
