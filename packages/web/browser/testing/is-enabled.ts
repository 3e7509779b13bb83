import type { Locator } from 'playwright-core';

/** Waits until a control takes presses. */
export async function isEnabled(control: Locator): Promise<void> {
  await control.and(control.page().locator(':not([aria-disabled])')).waitFor();
}
