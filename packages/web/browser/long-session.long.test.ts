import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { importSession, talkAndWork } from './testing/long-session.ts';
import { openPage } from './testing/page.ts';
import { countNodes } from './testing/page-cost.ts';
import { servePage } from './testing/served-page.ts';

const EVENTS = 50_000;
const LAST = EVENTS / 10;
/** Maximum number of nodes in the page, relative to the number right after it was opened. */
const MOST_TIMES = 4;

test('scrolling through 50,000 events to the beginning and back keeps the page small', async () => {
  const served = await servePage();
  const sessionId = await importSession(served.client, served.work, talkAndWork(EVENTS));
  const page = await openPage(served, { path: `/sessions/${sessionId}` });
  const log = page.getByRole('log');
  await step(page, LAST).waitFor();
  const atFirst = await countNodes(page);
  let most = atFirst;
  const scroll = async (direction: 'up' | 'down') => {
    await scrollOnce(log, direction);
    most = Math.max(most, await countNodes(page));
  };
  while ((await step(page, 1).count()) === 0) await scroll('up');
  await page.getByText('Go through all files.').waitFor();
  while ((await step(page, LAST).count()) === 0) await scroll('down');
  expect(most).toBeLessThan(MOST_TIMES * atFirst);
});

function step(page: Page, number: number): Locator {
  return page.getByText(new RegExp(`^Step ${number}:`));
}

/** Scrolls by several pages and waits until the new content is rendered. */
async function scrollOnce(log: Locator, direction: 'up' | 'down'): Promise<void> {
  await log.evaluate(
    async (element, sign) => {
      element.scrollBy({ top: sign * 8 * element.clientHeight });
      for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
    },
    direction === 'up' ? -1 : 1,
  );
}
