import { join } from 'node:path';
import type { Page } from 'playwright-core';

const FOLDER = process.env.BATON_SCREENSHOTS;

/** Takes a picture of the page for somebody to look at, when a folder for such pictures is named. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (FOLDER) await page.screenshot({ path: join(FOLDER, `${name}.png`) });
}
