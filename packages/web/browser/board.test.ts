import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { answerElsewhere, ask, script } from './testing/ask.ts';
import { hasFocus } from './testing/has-focus.ts';
import { holdBack } from './testing/hold-back.ts';
import { openPage } from './testing/page.ts';
import { screenshot } from './testing/screenshot.ts';
import { servePage, shareServedPage } from './testing/served-page.ts';

const served = shareServedPage({ slots: 8 });

test('tasks are in the column of their status, show their activity, and move by themselves', async () => {
  const page = await openPage(served(), { path: '/board' });
  const stalled = await ask(served(), 'demo:stall for ever');
  await served().client.sessions.executeTask(stalled.sessionId, { prompt: 'Then this' });
  const asking = await ask(served(), script({ shell: 'echo asks' }));
  await ask(served(), 'demo:fail please');
  await ask(served(), script({ say: 'Well done' }));
  const running = card(page, 'Running', 'for ever');
  await running.getByText('I am going to be silent now.').waitFor();
  const queued = card(page, 'Queued', 'Then this');
  await queued.getByText('Queued behind 1 task in this session').waitFor();
  await card(page, 'Needs input', 'echo asks').getByText('Asks: $ echo asks').waitFor();
  await card(page, 'Failed or stopped', 'please').getByText('because it was asked to').waitFor();
  const done = card(page, 'Done', 'Well done');
  await done.waitFor();
  const gapBelow = (place: Locator) =>
    place.getByRole('link').evaluate((title) => {
      const next = title.closest('article > div')?.nextElementSibling;
      const { bottom } = title.getBoundingClientRect();
      return (next?.getBoundingClientRect().top ?? 0) - bottom;
    });
  await ask(served(), `demo:fail ${'with many words '.repeat(20)}`);
  const high = card(page, 'Failed or stopped', 'many words');
  await high.waitFor();
  const low = card(page, 'Failed or stopped', 'please');
  await page.setViewportSize({ width: 1600, height: 800 });
  expect(await gapBelow(low)).toBeCloseTo(await gapBelow(high), 0);
  await page.setViewportSize({ width: 900, height: 800 });
  for (const title of ['Needs input', 'Failed or stopped']) {
    const { x, width } = (await column(page, title).boundingBox()) ?? { x: 900, width: 0 };
    expect(x + width, 'within the page').toBeLessThanOrEqual(900);
  }
  await screenshot(page, 'board-900');

  const { taskId, sessionId } = stalled;
  await served().client.sessions.steerTask(sessionId, { task_id: taskId, text: 'Hurry up' });
  await running.getByText('Noted: Hurry up').waitFor();
  await answerElsewhere(served(), asking.sessionId);
  await card(page, 'Done', 'echo asks').waitFor();
});

test('search, agent and folder filter the board', async () => {
  const cwd = join(served().work, 'elsewhere-in-a-folder-with-a-long-name');
  mkdirSync(cwd);
  await ask(served(), script({ say: 'A needle' }));
  await ask(served(), script({ say: 'Some hay' }));
  await ask(served(), script({ say: 'More hay' }), { cwd });
  const page = await openPage(served(), { path: '/board' });
  const done = (words: string) => card(page, 'Done', words);
  await done('More hay').waitFor();
  const isTooWide = () => done('More hay').evaluate((each) => each.scrollWidth > each.clientWidth);
  expect(await isTooWide()).toBe(false);
  await page.getByRole('searchbox', { name: 'Search prompts' }).fill('needle');
  await done('A needle').waitFor();
  await expect.poll(() => done('hay').count()).toBe(0);
  await page.getByRole('searchbox').fill('');
  await done('Some hay').waitFor();
  await page.getByLabel('Folder').selectOption(cwd);
  await done('Some hay').waitFor({ state: 'detached' });
  await done('More hay').waitFor();
  await page.getByLabel('Agent').selectOption('claude-cli');
  await done('More hay').waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'No tasks match these filters' }).waitFor();
  await screenshot(page, 'board-nothing-fits');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await done('Some hay').waitFor();
  await page.getByRole('searchbox').and(page.locator(':focus')).waitFor();
});

test('a task is stopped, tried again and archived from its menu', async () => {
  await ask(served(), 'demo:stall until stopped');
  const page = await openPage(served(), { path: '/board' });
  const choose = async (place: Locator, action: string) => {
    await place.getByRole('button', { name: 'Task actions' }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  await choose(card(page, 'Running', 'until stopped'), 'Stop');
  const stopped = card(page, 'Failed or stopped', 'until stopped');
  await choose(stopped, 'Retry in a fork');
  await card(page, 'Running', 'until stopped').waitFor();
  await choose(stopped, 'Archive session');
  await stopped.waitFor({ state: 'detached' });
  await page.getByText('Session archived.').waitFor();
  await hasFocus(column(page, 'Failed or stopped'));
});

test('dragging to the last column stops a task after a confirmation, dragging back retries it', async () => {
  await ask(served(), 'demo:stall and drag');
  const page = await openPage(served(), { path: '/board' });
  const running = card(page, 'Running', 'and drag');
  await running.dragTo(column(page, 'Failed or stopped'));
  await page.getByRole('button', { name: 'Keep running' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await running.getByText('I am going to be silent now.').waitFor();
  await running.dragTo(column(page, 'Failed or stopped'));
  await page.getByRole('dialog', { name: 'Stop the agent?' }).waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  const stopped = card(page, 'Failed or stopped', 'and drag');
  await stopped.waitFor();
  await expect.poll(() => running.count()).toBe(0);
  // Nobody can declare a task done.
  await stopped.dragTo(column(page, 'Done'));
  expect(await stopped.count()).toBe(1);
  await stopped.dragTo(column(page, 'Queued'));
  await running.getByText('I am going to be silent now.').waitFor();
});

test('an empty board leads to a first task, and shows when no slot is free', async () => {
  const fresh = await servePage({ slots: 1 });
  const page = await openPage(fresh, { path: '/board' });
  await page.getByRole('heading', { name: 'No tasks yet' }).waitFor();
  await page.getByRole('heading', { name: 'Board' }).waitFor();
  const offerFolder = await holdBack(page, '"folders"');
  await page.getByRole('main').getByRole('link', { name: 'New task' }).click();
  // The folder that is offered comes while another one is being written.
  const folder = page.getByRole('combobox', { name: 'Folder' });
  await folder.click();
  await offerFolder();
  await page.keyboard.type(fresh.work);
  expect(await folder.inputValue()).toBe(fresh.work);
  await page.getByRole('textbox', { name: 'Prompt' }).fill(script({ say: 'The first' }));
  await page.keyboard.press('Enter');
  await page.getByRole('log').getByText('The first', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Board' }).first().click();
  await card(page, 'Done', 'The first').waitFor();
  await ask(fresh, 'demo:stall');
  await card(page, 'Running', 'demo:stall').waitFor();
  await ask(fresh, 'The next');
  await ask(fresh, 'The one after');
  await card(page, 'Queued', 'The next').waitFor();
  await card(page, 'Queued', 'The one after').waitFor();
  const reason = page.getByText('The only slot is in use.');
  await reason.waitFor();
  expect(await reason.count()).toBe(1);
});

function column(page: Page, title: string): Locator {
  return page.getByRole('region', { name: title });
}

function card(page: Page, title: string, words: string): Locator {
  return column(page, title).getByRole('article').filter({ hasText: words });
}
