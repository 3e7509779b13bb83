import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seriousBarriers } from './testing/axe.ts';
import { finishedSession } from './testing/finished-session.ts';
import { screenshot } from './testing/screenshot.ts';
import { shareServedPage } from './testing/served-page.ts';
import { isTooWide } from './testing/too-wide.ts';

const served = shareServedPage();

test('comments on lines survive a reload and are sent together as one prompt', async () => {
  const { page, session_id } = await finishedSession(served(), 'review-send');
  const file = page.locator('section', { has: page.getByRole('heading', { name: 'a.txt' }) });
  await file.getByRole('button', { name: 'Comment on line 2', exact: true }).click();
  await page.getByLabel('Comment on line 2', { exact: true }).last().fill('Say "three" too.');
  await page.keyboard.press('Control+Enter');
  const card = page.getByRole('article', { name: 'Comment' });
  await card.getByText('Say "three" too.').waitFor();
  await file.getByRole('button', { name: 'Comment on line 1', exact: true }).click();
  await file
    .getByRole('button', { name: 'Comment on line 2', exact: true })
    .click({ modifiers: ['Shift'] });
  await page.getByLabel('Comment on lines 1 to 2').fill('Both lines.');
  await page.getByRole('button', { name: 'Add comment' }).click();
  await page.getByText('2 draft comments').waitFor();
  await page.reload();
  await page.getByText('2 draft comments').waitFor();
  await screenshot(page, 'review-drafts');
  await page.setViewportSize({ width: 390, height: 844 });
  await screenshot(page, 'review-drafts-390');
  expect(await isTooWide(page)).toBe(false);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'Send to the agent' }).click();
  await page.getByText('Sent 2 comments to the agent.').waitFor();
  const { client } = served();
  const { data } = await client.tasks.find({ session_id });
  expect(data.map(({ full_prompt }) => full_prompt)).toContain(
    'Address these comments on your change.\n\n1. a.txt:2\n```\ntwo\n```\nSay "three" too.\n\n2. a.txt:1-2\n```\none\ntwo\n```\nBoth lines.',
  );
  await card.first().getByText('Sent', { exact: true }).waitFor();
  await card.first().getByRole('button', { name: 'Resolve' }).click();
  await card.first().getByText('Resolved').waitFor();
  await card.first().getByRole('button', { name: 'Show answer' }).click();
  await page
    .getByRole('article', { name: 'Prompt' })
    .getByText(/2\. a\.txt:1-2/)
    .waitFor();
});

test('a comment follows its line, and says when the line has changed', async () => {
  const { page, tree } = await finishedSession(served(), 'review-moved');
  const file = page.locator('section', { has: page.getByRole('heading', { name: 'a.txt' }) });
  await file.getByRole('button', { name: 'Comment on line 2', exact: true }).click();
  await page.getByLabel('Comment on line 2', { exact: true }).last().fill('About two.');
  await page.getByRole('button', { name: 'Add comment' }).click();
  const card = page.getByRole('article', { name: 'Comment' });
  await card.waitFor();
  const path = join(tree, 'a.txt');
  writeFileSync(path, `zero\n${readFileSync(path, 'utf8')}`);
  // The line is the third one now, and the comment is still below it.
  await file.getByRole('button', { name: 'Comment on line 3', exact: true }).waitFor();
  const row = file.locator('[data-kind=add]', { hasText: 'two' });
  await expect
    .poll(() => row.evaluate((line) => line.nextElementSibling?.textContent))
    .toContain('About two.');
  await file.getByRole('button', { name: 'Comment on this file' }).click();
  await page.getByLabel('Comment on a.txt').fill('About all of it.');
  await page.getByRole('button', { name: 'Add comment' }).click();
  await card.getByText('About all of it.').waitFor();
  writeFileSync(path, 'zero\none\n2\n');
  await card.getByText('Lines changed since').waitFor();
  await card.getByText('a.txt:2').waitFor();
  await screenshot(page, 'review-outdated');
  // The file is as it was before the agent: its comments stay visible.
  writeFileSync(path, 'one\n');
  await expect.poll(() => file.count()).toBe(0);
  await card.getByText('About two.').waitFor();
});

test('a viewed file is collapsed, also after a reload, until it changes again', async () => {
  const { page, tree } = await finishedSession(served(), 'review-viewed');
  const file = page.locator('section', { has: page.getByRole('heading', { name: 'a.txt' }) });
  const line = file.locator('[data-kind=add]', { hasText: 'two' });
  await line.waitFor();
  await page.getByText('0 of 2 viewed').waitFor();
  await file.getByRole('checkbox', { name: 'Viewed' }).check();
  await page.getByText('1 of 2 viewed').waitFor();
  await line.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByText('1 of 2 viewed').waitFor();
  expect(await file.getByRole('checkbox', { name: 'Viewed' }).isChecked()).toBe(true);
  expect(await line.count()).toBe(0);
  await screenshot(page, 'review-viewed');
  expect(await seriousBarriers(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await isTooWide(page)).toBe(false);
  await screenshot(page, 'review-viewed-390');
  // Another file does not reset the mark.
  writeFileSync(join(tree, 'c.txt'), 'three\n');
  await page.getByText('1 of 3 viewed').waitFor();
  writeFileSync(join(tree, 'a.txt'), 'one\ntwo\nthree\n');
  await page.getByText('0 of 3 viewed').waitFor();
  await line.waitFor();
});

test('files are listed by folder, can be filtered, and are collapsed on a phone', async () => {
  const { page, tree } = await finishedSession(served(), 'review-tree');
  mkdirSync(join(tree, 'src/deep/down'), { recursive: true });
  for (const name of ['src/deep/down/x.ts', 'src/deep/down/y.ts', 'src/z.ts']) {
    writeFileSync(join(tree, name), 'export {};\n');
  }
  const list = page.getByRole('complementary');
  const file = (name: string) => list.getByRole('button', { name: `A ${name}` });
  await file('x.ts').waitFor();
  const folder = list.getByRole('button', { name: 'deep/down 2' });
  await folder.click();
  await file('x.ts').waitFor({ state: 'detached' });
  await file('z.ts').waitFor();
  await list.getByRole('searchbox', { name: 'Filter files' }).fill('X.ts');
  await list.getByText('1 of 5 files').waitFor();
  await file('z.ts').waitFor({ state: 'detached' });
  await screenshot(page, 'review-tree');
  expect(await seriousBarriers(page)).toEqual([]);
  await file('x.ts').click();
  await page.setViewportSize({ width: 390, height: 844 });
  await file('x.ts').waitFor({ state: 'hidden' });
  await list.getByRole('button', { name: 'Files', exact: true }).click();
  await file('x.ts').waitFor();
  await screenshot(page, 'review-tree-390');
  expect(await isTooWide(page)).toBe(false);
});
