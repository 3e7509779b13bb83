import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seriousBarriers } from './testing/axe.ts';
import { openPage } from './testing/page.ts';
import { pressUntil } from './testing/press-until.ts';
import { screenshot } from './testing/screenshot.ts';
import { servePage } from './testing/served-page.ts';

test('a new user starts a first task, answers a request, and sees the changes', async () => {
  const served = await servePage({ keepLink: true });
  const page = await openPage(served, { stranger: true });
  await page.goto(served.link);

  // Nothing has to be chosen: the demo agent and a folder to play in are there.
  await page.getByRole('heading', { name: 'Agents on this machine' }).waitFor();
  const agent = page.getByRole('combobox', { name: 'Agent' });
  const folder = page.getByRole('combobox', { name: 'Folder' });
  await expect.poll(() => agent.inputValue()).toBe('demo');
  await expect.poll(() => folder.inputValue()).toMatch(/\/baton-playground$/);
  const playground = await folder.inputValue();
  expect(await seriousBarriers(page)).toEqual([]);
  await screenshot(page, 'first-minute-start');

  // The field has the focus at once.
  await page.keyboard.type('Show me what you can do.');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/app\/sessions\//);
  const permission = page.getByRole('region', { name: 'Permission request' });
  await permission.getByText('# Hello from Baton').waitFor();
  await permission.getByRole('button', { name: /^Allow once/ }).click();
  await permission.getByText('wc -l hello-from-baton.md').waitFor();
  const chatty = page.getByRole('radio', { name: 'Chatty' });
  await pressUntil(permission.getByRole('button', { name: /^Allow once/ }), chatty);
  await chatty.click();
  await page.getByRole('button', { name: 'Answer', exact: true }).click();
  await page.getByText('Done. Everything you saw was real').waitFor();
  await page.getByRole('button', { name: 'Send' }).waitFor();
  await screenshot(page, 'first-minute-done');

  await page.getByRole('link', { name: 'Changes' }).click();
  await page.getByText('1 file, +4 −0 lines').waitFor();
  await page.getByText('The prompt was: Show me what you can do.').waitFor();
  expect(readFileSync(join(playground, 'hello-from-baton.md'), 'utf8')).toContain('Show me');
});
