import { expect, test } from 'vitest';
import { type Toast, toastsIn, withToast } from './toast-list.ts';

const begun: Toast = { id: 1, tone: 'good', words: 'Begun.', link: { href: '/one', words: 'Go' } };

test('a repeated toast replaces the previous one, unless it has another link', () => {
  const again = { ...begun, id: 2 };
  const other = { ...begun, id: 3, link: { href: '/two', words: 'Go' } };
  const shown = [begun, again, other].reduce(withToast, [] as readonly Toast[]);
  expect(shown).toEqual([again, other]);
});

test('a toast about a view disappears with it', () => {
  const here: Toast = { id: 2, tone: 'plain', words: 'This is it.', view: '/here' };
  expect(toastsIn([begun, here], '/here')).toEqual([begun, here]);
  expect(toastsIn([begun, here], '/there')).toEqual([begun]);
});
