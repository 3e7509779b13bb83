import type { Page } from 'playwright-core';

/** True if the page, or the view in it, scrolls horizontally. */
export function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const view = document.querySelector('main');
    const isWide = ({ scrollWidth, clientWidth }: Element) => scrollWidth > clientWidth;
    return isWide(document.documentElement) || (view !== null && isWide(view));
  });
}
