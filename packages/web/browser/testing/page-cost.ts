import type { Page } from 'playwright-core';

/**
 * Returns a function that returns the CPU seconds that the page has used since. Other programs do not affect the
 * result.
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

/** Counts the elements of the page. */
export function countNodes(page: Page): Promise<number> {
  return page.evaluate(() => document.getElementsByTagName('*').length);
}
