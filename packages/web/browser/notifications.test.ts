import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { openPage } from './testing/page.ts';
import { servePage } from './testing/served-page.ts';

const ASK = `demo:script ${JSON.stringify([{ shell: 'echo hello\u202E # x\necho' }])}`;

test('a request that arrives in a hidden tab sends a notification that opens its session', async () => {
  const served = await servePage();
  const page = await openPage(served, { stranger: true });
  await page.addInitScript(withNotices, served.token);
  await page.goto(`${served.url}/app/settings/account`);
  await page.getByRole('checkbox', { name: 'Notifications' }).check();
  await page.evaluate(() => Object.defineProperty(document, 'hidden', { get: () => true }));
  const session = await served.client.sessions.create({ cwd: served.work, backend: 'demo' });
  await served.client.sessions.executeTask(session.session_id, { prompt: ASK });
  await vi.waitFor(
    async () => expect(await notices(page)).toEqual(['$ echo hello⟨U+202E⟩ # x ⏎ echo']),
    20_000,
  );
  await page.evaluate(() => (globalThis as unknown as Told).told[0]?.onclick());
  await page.waitForURL(`**/sessions/${session.session_id}`);
});

type Told = { told: { body: string; onclick: () => void }[] };

/** Browsers without a screen show no notifications, so these stand in for them. */
function withNotices(token: string): void {
  localStorage.setItem('baton.token', token);
  const told: unknown[] = [];
  class Notice {
    static permission = 'granted';
    static requestPermission = async () => 'granted';
    body: string;
    constructor(_title: string, { body }: { body: string }) {
      this.body = body;
      told.push(this);
    }
    close() {}
  }
  Object.assign(globalThis, { told, Notification: Notice });
}

function notices(page: Page): Promise<string[]> {
  return page.evaluate(() => (globalThis as unknown as Told).told.map(({ body }) => body));
}
