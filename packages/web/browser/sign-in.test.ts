import { expect, test } from 'vitest';
import { seriousBarriers } from './testing/axe.ts';
import { openPage } from './testing/page.ts';
import { servePage } from './testing/served-page.ts';

test('the link that is printed signs in once, stays out of the address, and the browser stays signed in', async () => {
  const served = await servePage({ keepLink: true });
  const page = await openPage(served, { stranger: true });
  await page.goto(served.link);
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  expect(page.url()).toBe(`${served.url}/app/`);
  await page.reload();
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  // Opened again it is of no use any more, and does no harm to whoever is signed in.
  await page.goto(served.link);
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  const stranger = await openPage(served, { stranger: true });
  await stranger.goto(served.link);
  await stranger.getByRole('alert').getByText('This link was used already').waitFor();
});

test('a name and a password sign in, and signing out makes the token useless', async () => {
  const served = await servePage();
  await served.client.users.patch('me', { password: 'correct horse battery' });
  const page = await openPage(served, { stranger: true });
  expect(await seriousBarriers(page)).toEqual([]);
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Password').fill('correct horse battery');
  await page.keyboard.press('Enter');
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  await page.getByRole('button', { name: 'owner' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to Baton' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Sign in to Baton' }).waitFor();
});
