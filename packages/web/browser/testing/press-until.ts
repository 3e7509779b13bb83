import type { Locator } from 'playwright-core';
import { vi } from 'vitest';

/** Presses a control until something shows that it took the press: one that has just moved takes none, by design. */
export async function pressUntil(control: Locator, shown: Locator): Promise<void> {
  await vi.waitFor(
    async () => {
      if (await shown.isVisible()) return;
      await control.click({ timeout: 5000 });
      await shown.waitFor({ timeout: 2000 });
    },
    { timeout: 60_000 },
  );
}
