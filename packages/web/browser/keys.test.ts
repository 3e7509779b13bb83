import { expect, test } from 'vitest';
import { script } from './testing/ask.ts';
import { seriousBarriers } from './testing/axe.ts';
import { openPage } from './testing/page.ts';
import { screenshot } from './testing/screenshot.ts';
import { servePage } from './testing/served-page.ts';

test('everything is reached by keys: views, sessions by some letters, and a list of the keys', async () => {
  const served = await servePage();
  const { client, work, url } = served;
  const { session_id } = await client.sessions.create({
    ...{ cwd: work, backend: 'demo', title: 'Sort the mail' },
  });
  const page = await openPage(served, { path: '/usage' });
  await page.getByRole('heading', { name: 'Usage' }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('b');
  await page.getByRole('heading', { name: 'No tasks yet' }).waitFor();
  await page.keyboard.press('?');
  const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await keys.getByText('Deny with a reason').waitFor();
  await screenshot(page, 'keys');
  expect(await seriousBarriers(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await keys.waitFor({ state: 'detached' });

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search' }).fill('mail sort');
  await page.getByRole('option', { name: 'Sort the mail' }).waitFor();
  await screenshot(page, 'palette');
  expect(await seriousBarriers(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.waitForURL(`${url}/app/sessions/${session_id}`);
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  await page.keyboard.press('Control+k');
  await page.keyboard.type('dark');
  const found = page.getByRole('dialog').getByRole('option');
  await expect.poll(() => found.allInnerTexts()).toEqual(['Dark theme']);
  await page.keyboard.press('Enter');
  await page.locator('html[data-theme=dark]').waitFor();
  // Single-key shortcuts can be turned off.
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('link', { name: 'Account' }).click();
  await page.getByLabel('Single-key shortcuts').uncheck();
  await page.getByRole('heading', { name: 'This browser' }).click();
  await page.keyboard.press('?');
  await page.keyboard.press('c');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Search or jump to…' }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(1);
  expect(new URL(page.url()).pathname).toBe('/app/settings/account');
  await page.keyboard.press('Escape');
  await page.goto(`${url}/app/sessions/${session_id}`);
  // Letters that somebody writes lead nowhere.
  await page.getByRole('textbox', { name: 'Prompt' }).fill('');
  await page.keyboard.type('gb?c');
  expect(await page.getByRole('textbox', { name: 'Prompt' }).inputValue()).toBe('gb?c');
  await page.getByRole('textbox', { name: 'Prompt' }).fill(script({ shell: 'echo asks' }));
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Allow once', exact: true }).waitFor();
});
