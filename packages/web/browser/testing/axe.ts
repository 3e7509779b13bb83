import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What is hard to use for people with disabilities on a page, as far as axe can tell; only what is serious. */
export async function seriousBarriers(page: Page): Promise<string[]> {
  // The policy of the page lets no other script in, but that of the tests.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run({ resultTypes: ['violations'] }),
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
}
