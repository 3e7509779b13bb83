import { expect, test } from 'vitest';
import { TestRepository } from '../testing/repository.ts';
import { findRepository, isRepository, readHead } from './repository.ts';

const STATES: [string, (user: TestRepository) => void][] = [
  ['before the first commit', () => {}],
  ['on a branch', (user) => void user.commit({ a: 'a' })],
  [
    'on a branch in a folder',
    (user) => {
      user.commit({ a: 'a' });
      user.run('switch', '--quiet', '-c', 'team/topic');
    },
  ],
  [
    'on a branch that is packed',
    (user) => {
      user.commit({ a: 'a' });
      user.run('pack-refs', '--all');
    },
  ],
  [
    'on a branch that leads to another',
    (user) => {
      user.commit({ a: 'a' });
      user.run('symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
      user.run('symbolic-ref', 'HEAD', 'refs/heads/alias');
    },
  ],
  [
    'at a commit',
    (user) => {
      user.commit({ a: 'a' });
      user.run('switch', '--quiet', '--detach');
    },
  ],
];

test.each(STATES)('HEAD %s is what git says', async (_name, arrange) => {
  const user = new TestRepository();
  arrange(user);
  const place = findRepository(user.root);
  if (!isRepository(place)) throw new Error('There is no repository.');
  const { head } = await readHead(user.git, place);
  const told = user.run('for-each-ref', '--format=%(objectname)', 'refs/heads/main');
  expect(head ?? '').toBe(told);
});
