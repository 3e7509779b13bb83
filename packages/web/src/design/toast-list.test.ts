import { expect, test } from 'vitest';
import { type Toast, toastsIn, withToast } from './toast-list.ts';

const begun: Toast = { id: 1, tone: 'good', words: 'Begun.', link: { href: '/one', words: 'Go' } };

test('what is said again takes the place of what was said, unless it leads elsewhere', () => {
  const again = { ...begun, id: 2 };
  const other = { ...begun, id: 3, link: { href: '/two', words: 'Go' } };
  const shown = [begun, again, other].reduce(withToast, [] as readonly Toast[]);
  expect(shown).toEqual([again, other]);
});

test('what is said about a view goes with it', () => {
  const here: Toast = { id: 2, tone: 'plain', words: 'This is it.', view: '/here' };
  expect(toastsIn([begun, here], '/here')).toEqual([begun, here]);
  expect(toastsIn([begun, here], '/there')).toEqual([begun]);
});
