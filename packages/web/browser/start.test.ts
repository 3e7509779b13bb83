import { existsSync, mkdirSync, mkdtempSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { script } from './testing/ask.ts';
import { seriousBarriers } from './testing/axe.ts';
import { hasFocus } from './testing/has-focus.ts';
import { openPage } from './testing/page.ts';
import { screenshot } from './testing/screenshot.ts';
import { shareServedPage } from './testing/served-page.ts';

const served = shareServedPage();

test('a missing folder is reported at its field before anything starts, and created on demand', async () => {
  const { client, work } = served();
  await client.sessions.create({ cwd: work, backend: 'demo' });
  const gone = mkdtempSync(join(work, 'gone-'));
  await client.sessions.create({ cwd: gone, backend: 'demo' });
  rmdirSync(gone);
  const page = await openPage(served());
  const folder = page.getByRole('combobox', { name: 'Folder' });
  await expect.poll(() => folder.inputValue()).toBe(work);
  const wanted = join(work, 'new');
  await folder.fill(wanted);
  await page.getByRole('textbox', { name: 'Prompt' }).fill(script({ say: 'In the new folder.' }));
  const missing = page.getByRole('alert').getByText(`${wanted} does not exist`);
  await missing.waitFor();
  await page.getByRole('button', { name: 'Start' }).click();
  await folder.and(page.locator(':focus')).waitFor();
  expect(await folder.getAttribute('aria-invalid')).toBe('true');
  expect((await client.sessions.find({ limit: 10 })).total).toBe(2);
  expect(await seriousBarriers(page)).toEqual([]);
  await screenshot(page, 'start-no-folder');
  // The only machine that there is would take the task at once, and fail.
  expect(await page.getByRole('button', { name: 'It’s on another machine' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Create folder' }).click();
  await missing.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Start' }).click();
  await page.getByRole('log').getByText('In the new folder.', { exact: true }).waitFor();
});

test('a folder with settings for the agent is asked about once, and nothing starts before', async () => {
  const { client, work } = served();
  const folder = join(work, 'strange');
  const mark = join(work, 'hook-ran');
  mkdirSync(folder);
  writeFileSync(join(folder, '.baton-demo.json'), JSON.stringify({ onStart: `touch ${mark}` }));
  const { total } = await client.sessions.find({ limit: 1 });
  const page = await openPage(served());
  await startIn(page, folder, 'Begun.');
  const question = page.getByRole('dialog', { name: 'Do you trust this folder?' });
  await question.getByText('.baton-demo.json').waitFor();
  expect(await seriousBarriers(page)).toEqual([]);
  await screenshot(page, 'start-trust');
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect((await client.sessions.find({ limit: 1 })).total).toBe(total);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await question.getByRole('button', { name: 'Start without them' }).click();
  await page.getByRole('log').getByText('Begun.', { exact: true }).waitFor();
  expect(existsSync(mark)).toBe(false);
  expect(await client.trustedFolders.find()).toContainEqual({ folder, trusted: false });

  const settings = await openPage(served(), { path: '/settings/trusted-folders' });
  const row = settings.getByRole('listitem').filter({ hasText: folder });
  await row.getByText('not trusted').waitFor();
  await screenshot(settings, 'trusted-folders');
  await row.getByRole('button', { name: `Forget ${folder}` }).click();
  await row.waitFor({ state: 'detached' });

  const again = await openPage(served());
  await startIn(again, folder, 'Trusted.');
  await again.getByRole('button', { name: 'Trust and start' }).click();
  await again.getByRole('log').getByText('Trusted.', { exact: true }).waitFor();
  expect(existsSync(mark)).toBe(true);
});

async function startIn(page: Page, folder: string, words: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Folder' }).fill(folder);
  await page.getByRole('textbox', { name: 'Prompt' }).fill(script({ say: words }));
  await page.getByRole('button', { name: 'Start', exact: true }).click();
}

test('the list of files opens where there is space, and shows the selected one', async () => {
  const { work } = served();
  for (let file = 0; file < 40; file += 1) writeFileSync(join(work, `listed-${file}.md`), '');
  const page = await openPage(served(), { viewport: { width: 1280, height: 600 } });
  await page.getByRole('combobox', { name: 'Folder' }).fill(work);
  await page.locator('textarea').pressSequentially('@listed');
  const list = page.getByRole('listbox');
  await list.waitFor();
  await screenshot(page, 'start-files');
  const boxOf = (place: Locator) =>
    place.evaluate((each) => {
      const { top, bottom } = each.getBoundingClientRect();
      return { top, bottom };
    });
  const frame = await boxOf(list);
  expect(frame.top).toBeGreaterThanOrEqual(0);
  expect(frame.bottom).toBeLessThanOrEqual(600);
  await page.keyboard.press('ArrowUp');
  const chosen = await boxOf(list.getByRole('option', { selected: true }));
  expect(chosen.top).toBeGreaterThanOrEqual(frame.top);
  expect(chosen.bottom).toBeLessThanOrEqual(frame.bottom);
});

test('an option that the agent does not support is reported immediately, and nothing starts', async () => {
  const page = await openPage(served());
  const { total } = await served().client.sessions.find({ limit: 1 });
  await page.getByRole('textbox', { name: 'Prompt' }).fill(script({ say: 'With options.' }));
  await page.getByRole('button', { name: 'Options' }).click();
  const turns = page.getByRole('spinbutton', { name: 'Max turns' });
  await turns.fill('0');
  // The demo agent has no model, and a task with one could only fail.
  expect(await page.getByLabel('Model', { exact: true }).count()).toBe(0);
  const mistake = page.getByText('Must be at least 1.', { exact: true });
  await mistake.waitFor();
  await screenshot(page, 'start-wrong-option');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.getByRole('alert').getByText('Max turns: Must be at least 1.').waitFor();
  expect((await served().client.sessions.find({ limit: 1 })).total).toBe(total);
  await page.getByRole('button', { name: 'Options' }).click();
  await mistake.waitFor();
  await page.getByRole('button', { name: 'Reset Max turns to the default' }).click();
  await hasFocus(turns);
  await turns.fill('7');
  await mistake.waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.getByRole('log').getByText('With options.', { exact: true }).waitFor();
});

test('a task that starts after its view was left does not navigate away', async () => {
  const page = await openPage(served());
  const prompt = page.getByRole('textbox', { name: 'Prompt' });
  await prompt.fill(script({ say: 'Begun late.' }));
  await served().kill();
  await page.getByText('Disconnected from the daemon.').waitFor();
  await prompt.press('Enter');
  await page.getByRole('link', { name: 'Board' }).first().click();
  await page.getByRole('heading', { name: 'Board' }).waitFor();
  await served().restart();
  const notice = page
    .getByRole('region', { name: 'Notifications' })
    .filter({ hasText: 'Task started.' });
  await notice.waitFor();
  expect(new URL(page.url()).pathname).toBe('/app/board');
  await screenshot(page, 'start-begun-late');
  await notice.getByRole('link', { name: 'View session' }).click();
  await page.getByRole('log').getByText('Begun late.', { exact: true }).waitFor();
});
