import type { Locator } from 'playwright-core';

/** Waits until an element has the focus. */
export async function hasFocus(place: Locator): Promise<void> {
  await place.and(place.page().locator(':focus')).waitFor();
}
