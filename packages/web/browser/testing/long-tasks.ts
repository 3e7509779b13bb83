import type { Page } from 'playwright-core';

export type LongTasks = { total: number; longest: number };

/** Lets the browser note every task that holds up the page for more than 50 ms. */
export async function watchLongTasks(page: Page): Promise<void> {
  await page.evaluate(() => {
    const noted: number[] = [];
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) noted.push(duration);
    });
    observer.observe({ type: 'longtask' });
    Object.assign(globalThis, { noted });
  });
}

/** What was noted since the last time, in milliseconds. */
export function longTasks(page: Page): Promise<LongTasks> {
  return page.evaluate(async () => {
    // What is told of a task comes after it.
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    const { noted } = globalThis as unknown as { noted: number[] };
    const durations = noted.splice(0);
    return {
      total: durations.reduce((sum, each) => sum + each, 0),
      longest: Math.max(0, ...durations),
    };
  });
}

/** How much the browser has to keep in mind to show the page. */
export function countNodes(page: Page): Promise<number> {
  return page.evaluate(() => document.getElementsByTagName('*').length);
}
