import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ask, script } from './testing/ask.ts';
import { seriousBarriers } from './testing/axe.ts';
import { hasFocus } from './testing/has-focus.ts';
import { importSession, talkAndWork } from './testing/long-session.ts';
import { openPage } from './testing/page.ts';
import { screenshot } from './testing/screenshot.ts';
import { shareServedPage } from './testing/served-page.ts';

const served = shareServedPage();

test('a session is renamed, looked at event by event, saved, copied and put aside', async () => {
  const { client, work } = served();
  const sessionId = await importSession(client, work, talkAndWork(50));
  const page = await openPage(served(), { path: `/sessions/${sessionId}` });
  const choose = async (action: string) => {
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  const rename = async (title: string) => {
    const field = page.getByLabel('Session title');
    await expect.poll(() => field.evaluate((each) => each === document.activeElement)).toBe(true);
    await field.fill(title);
    await page.keyboard.press('Enter');
    await hasFocus(page.getByRole('button', { name: `Edit title: ${title}` }));
  };
  await page.getByRole('button', { name: /^Edit title/ }).click();
  await rename('By a click');
  await choose('Rename');
  await rename('By the menu');
  await page.keyboard.press('Control+k');
  await hasFocus(page.getByRole('combobox', { name: 'Search' }));
  // Enter comes before the list of results.
  await page.keyboard.type('rename\n');
  await rename('Renamed');
  await expect.poll(async () => (await client.sessions.get(sessionId)).title).toBe('Renamed');

  await page.getByRole('button', { name: /^npm test -- part-5 exit 0/ }).waitFor();
  await choose('Raw events');
  const raw = page.getByRole('complementary', { name: 'Raw events' });
  await raw.getByText('run.completed').first().waitFor();
  await hasFocus(raw.getByRole('heading'));
  await screenshot(page, 'raw-events');
  expect(await seriousBarriers(page)).toEqual([]);
  await choose('Hide raw events');
  await raw.waitFor({ state: 'detached' });
  const more = page.getByRole('button', { name: 'More', exact: true });
  for (const leave of [() => page.keyboard.press('Escape'), () => page.keyboard.press('Enter')]) {
    await choose('Raw events');
    await raw.getByRole('button', { name: 'Close' }).focus();
    await leave();
    await raw.waitFor({ state: 'detached' });
    await hasFocus(more);
  }

  const download = page.waitForEvent('download');
  await choose('Download as Markdown');
  const file = join(work, 'saved.md');
  await (await download).saveAs(file);
  const saved = readFileSync(file, 'utf8');
  expect(saved).toContain('# Renamed');
  expect(saved).toContain('Step 5: I look at the **next** file');

  await choose('Archive');
  await page.getByText('This session is archived.').waitFor();
  await screenshot(page, 'archived');
  await page.getByRole('button', { name: 'Unarchive' }).click();
  await page.getByRole('textbox', { name: 'Prompt' }).waitFor();
  await choose('Fork from here');
  await page.waitForURL((url) => !url.pathname.includes(sessionId));
  await page.getByRole('heading', { name: 'Forked session' }).waitFor();
  await hasFocus(page.getByRole('textbox', { name: 'Prompt' }));
  // It has the title of its origin, and is told apart from it.
  const side = page.getByRole('navigation', { name: 'Views' });
  await side.locator('[aria-current=page]').getByText('fork').waitFor({ state: 'attached' });
  await side.locator('[aria-current=page]').getByText('2', { exact: true }).waitFor();
  await screenshot(page, 'fork');
  await page.getByText('Forked. The original session is unchanged.').waitFor();
  await page.getByRole('link', { name: /^Forked from / }).click();
  await page.getByText(/^Step 5:/).waitFor();
  expect(await page.getByText('Forked. The original session is unchanged.').count()).toBe(0);
});

test('opening a session in which nothing is pending focuses the prompt', async () => {
  await ask(served(), script({ say: 'Done here.' }), { title: 'Quiet' });
  const page = await openPage(served(), { path: '/board' });
  await page.getByRole('link', { name: 'Quiet' }).first().click();
  await page.getByText('Done here.', { exact: true }).waitFor();
  await hasFocus(page.getByRole('textbox', { name: 'Prompt' }));
  // No ring around the whole transcript, also when the focus goes there after a key press.
  await page.keyboard.press('Escape');
  await page.getByRole('log').focus();
  const outlines = await page
    .getByRole('log')
    .evaluate((log) => [log.matches(':focus-visible'), getComputedStyle(log).outlineStyle]);
  expect(outlines).toEqual([true, 'none']);
});

test('the list of turns leads to the prompt of each', async () => {
  const { client, work } = served();
  const { session_id } = await client.sessions.create({ cwd: work, backend: 'demo' });
  const say = (text: string) => `demo:script [{"say":"${text}"}]`;
  const long = Array.from({ length: 60 }, (_, line) => `Paragraph ${line}.`).join('\\n\\n');
  for (const text of ['The very first', long, 'The last']) {
    await client.sessions.executeTask(session_id, { prompt: say(text) });
  }
  const page = await openPage(served(), { path: `/sessions/${session_id}` });
  const first = page.getByRole('log').getByText('The very first', { exact: true });
  await page.getByRole('log').getByText('The last', { exact: true }).waitFor();
  await expect.poll(() => first.count()).toBe(0);
  await page.getByRole('button', { name: 'Turns' }).click();
  await screenshot(page, 'turns');
  await page.getByRole('menuitem').filter({ hasText: 'The very first' }).click();
  await first.waitFor();
});
