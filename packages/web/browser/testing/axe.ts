import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Returns the serious and critical accessibility violations that axe finds on a page. */
export async function seriousBarriers(page: Page): Promise<string[]> {
  const isThere = await page.evaluate(() => 'axe' in globalThis);
  // The policy of the page lets no other script in, but that of the tests.
  if (!isThere) await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run({
      resultTypes: ['violations'],
      // What needs it looks for films, and for pages that forbid to turn the phone.
      preload: false,
    }),
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
}
