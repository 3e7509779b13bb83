import type { Page } from 'playwright-core';

/** Whether one has to scroll sideways to see all of a page; its view scrolls by itself. */
export function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const view = document.querySelector('main');
    const isWide = ({ scrollWidth, clientWidth }: Element) => scrollWidth > clientWidth;
    return isWide(document.documentElement) || (view !== null && isWide(view));
  });
}
