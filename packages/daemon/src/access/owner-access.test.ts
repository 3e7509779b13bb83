import { openStore } from '@baton/store';
import { expect, onTestFinished, test } from 'vitest';
import { addUser } from './add-user.ts';
import { useLink } from './give-token.ts';
import { ownerLink, ownerLogin } from './owner-access.ts';

async function emptyStore() {
  const store = await openStore({ url: ':memory:' });
  onTestFinished(() => store.close());
  return store;
}

test('access to the database gives a login and a link of an active owner', async () => {
  const store = await emptyStore();
  const gone = await addUser(store, { name: 'gone', role: 'owner' });
  await store.records.users.update({ user_id: gone.user_id }, { disabled: 1 });
  await addUser(store, { name: 'member', role: 'member' });
  const owner = await addUser(store, { name: 'owner', role: 'owner' });
  const { token, user } = await ownerLogin(store);
  expect(user).toMatchObject({ name: 'owner', role: 'owner' });
  expect(token).toMatch(/^baton_/);
  const link = await ownerLink(store);
  expect(await useLink(store, link)).toBe(owner.user_id);
  expect(await useLink(store, link)).toBeUndefined();
});

test('a database without an owner is an error', async () => {
  const store = await emptyStore();
  await expect(ownerLogin(store)).rejects.toMatchObject({ code: 'not_found' });
  await expect(ownerLink(store)).rejects.toThrow('no owner yet');
});
