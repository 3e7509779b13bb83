import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { seriousBarriers } from './testing/axe.ts';
import { openPage } from './testing/page.ts';
import { servePage } from './testing/served-page.ts';

test('the printed link signs in once, leaves the address bar, and the browser stays signed in', async () => {
  const served = await servePage({ keepLink: true });
  const page = await openPage(served, { stranger: true });
  await page.goto(served.link);
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  expect(page.url()).toBe(`${served.url}/app/`);
  await page.reload();
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  // A used link does nothing, also for a signed-in user.
  await page.goto(served.link);
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  const stranger = await openPage(served, { stranger: true });
  await stranger.goto(served.link);
  await stranger.getByRole('alert').getByText('This link has already been used').waitFor();
});

test('name and password sign in, signing out revokes the token, and drafts are private', async () => {
  const served = await servePage();
  const { user_id } = await served.client.users.create({ name: 'Noor', role: 'member' });
  const patch = { password: 'correct horse battery' };
  for (const id of [user_id, 'me']) await served.client.users.patch(id, patch);
  const page = await openPage(served, { stranger: true });
  const prompt = page.getByRole('textbox', { name: 'Prompt' });
  const keptIn = (tab: Page) => tab.evaluate(() => Object.values(sessionStorage).join(' '));
  const kept = () => keptIn(page);
  const signIn = async (name: string, password: string) => {
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
  };
  const beSignedOut = async (before: string, password: string) => {
    await served.client.users.patch('me', { password, current_password: before });
    // It asks for something at the latest now; by itself it may have asked before, and has no links any more. In one step,
    // because a link that is gone from the page still leads to a new one.
    await page.evaluate(() =>
      document.querySelector<HTMLElement>('nav a[href$="/board"]')?.click(),
    );
    await page.getByText('You were signed out.').waitFor();
    await page.goto(served.url);
  };
  expect(await seriousBarriers(page)).toEqual([]);
  await signIn('owner', 'wrong');
  await page.getByRole('alert').waitFor();
  await signIn('owner', patch.password);
  await prompt.fill('A plan');
  await expect.poll(kept).toContain('A plan');
  const other = await page.context().newPage();
  await other.goto(served.url);
  await other.getByRole('textbox', { name: 'Prompt' }).fill('Another plan');
  await expect.poll(() => keptIn(other)).toContain('Another plan');
  await beSignedOut(patch.password, 'another password');
  // What another tab hears of a refusal does not make it forget anything.
  await other.getByText('You were signed out.').waitFor();
  expect(await keptIn(other)).toContain('Another plan');
  await signIn('owner', 'another password');
  await prompt.waitFor();
  expect(await prompt.inputValue()).toBe('A plan');
  await beSignedOut('another password', 'yet another one');
  await signIn('Noor', patch.password);
  await prompt.waitFor();
  expect(await prompt.inputValue()).toBe('');
  expect(await kept()).not.toContain('A plan');
  await prompt.fill('My plan');
  await expect.poll(kept).toContain('My plan');
  await other.goto(served.url);
  await other.getByRole('textbox', { name: 'Prompt' }).fill('Her plan');
  await expect.poll(() => keptIn(other)).toContain('Her plan');
  await page.evaluate(() => localStorage.setItem('baton.token', 'of another login'));
  await page.getByRole('button', { name: 'Noor' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to Baton' }).waitFor();
  expect(await kept()).not.toContain('My plan');
  // The other tab knows of it without asking the daemon, who would refuse it.
  await other.getByRole('heading', { name: 'Sign in to Baton' }).waitFor();
  expect(await other.getByText('You were signed out.').count()).toBe(0);
  expect(await keptIn(other)).not.toContain('Her plan');
  expect(await page.evaluate(() => localStorage.getItem('baton.token'))).toBe('of another login');
  await page.reload();
  await page.getByRole('heading', { name: 'Sign in to Baton' }).waitFor();
  expect(await page.getByRole('alert').textContent()).toBe('You were signed out.');
});
