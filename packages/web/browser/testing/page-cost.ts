import type { Page } from 'playwright-core';

/**
 * Gives a function that tells how many seconds of a processor the page has used since. What other programs do at the same
 * time makes no difference.
 */
export async function watchWork(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const used = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
  };
  const before = await used();
  return async () => (await used()) - before;
}

/** How much the browser has to keep in mind to show the page. */
export function countNodes(page: Page): Promise<number> {
  return page.evaluate(() => document.getElementsByTagName('*').length);
}
