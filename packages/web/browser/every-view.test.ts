import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { seriousBarriers } from './testing/axe.ts';
import { seedChain } from './testing/chains.ts';
import { openPage } from './testing/page.ts';
import { screenshot } from './testing/screenshot.ts';
import { seed } from './testing/seed.ts';
import { servePage } from './testing/served-page.ts';
import { isTooWide } from './testing/too-wide.ts';

/** Every path, with text that appears once its view has loaded. */
const VIEWS: readonly [path: string, words: string | RegExp][] = [
  ['/', 'Agents on this machine'],
  ['/board', 'I am going to be silent now.'],
  ['/inbox', 'Tea or coffee?'],
  ['/chains', 'Plan, build in parallel'],
  ['/chains/runs', /^started /],
  ['/chains/runs/:run', 'Approval needed'],
  ['/chains/runs/none', 'Chain run "none" not found.'],
  ['/chains/new?file=:file&chain=ship', 'How thorough the review is'],
  ['/sessions/:id', 'Allow this action?'],
  ['/sessions/:id/changes', '3 files, +5 −0 lines'],
  ['/sessions/none', 'Session "none" not found.'],
  ['/agents', 'maxTurns'],
  ['/agents/demo', 'Environment variables'],
  ['/agents/keys', 'SOME_KEY'],
  ['/agents/mcp', 'No MCP servers yet'],
  ['/workspaces', 'No worktrees'],
  ['/machines', 'Last heartbeat'],
  ['/usage', 'Group by'],
  ['/settings', 'General'],
  ['/settings/account', 'Password'],
  ['/settings/users', /A very long title/],
  ['/settings/tokens', 'Nightly'],
  ['/settings/rules', 'No rules yet'],
  ['/settings/trusted-folders', 'No trusted folders'],
  ['/settings/archive', /A very long title/],
  ['/nowhere', 'Page not found'],
];

/** Titles of the empty states. */
const EMPTY: readonly [path: string, title: string][] = [
  ['/board', 'No tasks yet'],
  ['/inbox', 'You’re all caught up'],
  ['/chains', 'No chains yet'],
  ['/chains/runs', 'No runs yet'],
  ['/usage', 'No usage in this period'],
  ['/agents/keys', 'No keys yet'],
  ['/agents/mcp', 'No MCP servers yet'],
  ['/settings/tokens', 'No tokens yet'],
  ['/settings/rules', 'No rules yet'],
  ['/settings/archive', 'The archive is empty'],
];

test('every view can be used by everybody, light and dark, and fits on a phone', async () => {
  const served = await servePage({ slots: 8 });
  const sessionId = await seed(served);
  const { file, runId } = await seedChain(served);
  const page = await openPage(served, { path: '/nowhere' });
  const found: string[] = [];
  for (const [address, words] of VIEWS) {
    const path = address
      .replace(':id', sessionId)
      .replace(':run', runId)
      .replace(':file', encodeURIComponent(file));
    await show(page, path);
    for (const look of LOOKS) {
      await wear(page, look);
      await page.getByRole('main').getByText(words).first().waitFor();
      await screenshot(page, `${address.replaceAll(/\W+/g, '-')}-${look.colorScheme}`);
      const barriers = await seriousBarriers(page);
      found.push(...barriers.map((barrier) => `${address} ${look.colorScheme}: ${barrier}`));
      if (await isTooWide(page)) found.push(`${address} is too wide for ${look.width} pixels`);
    }
  }
  expect(found).toEqual([]);
}, 120_000);

test('every view has an empty state', async () => {
  const served = await servePage();
  const page = await openPage(served, { path: '/nowhere' });
  for (const [path, title] of EMPTY) {
    await show(page, path);
    await page.getByRole('heading', { name: title }).waitFor();
    await screenshot(page, `empty${path.replaceAll('/', '-')}`);
  }
  await show(page, '/sessions/none');
  await page.getByRole('heading', { name: 'Session "none" not found.' }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'New task' }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Board' }).waitFor();
  expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0);
  await show(page, '/machines');
  await page.getByText('Queue is empty').waitFor();
  const { session_id } = await served.client.sessions.create({ cwd: served.work, backend: 'demo' });
  await show(page, `/sessions/${session_id}`);
  await page.getByRole('heading', { name: 'No messages yet' }).waitFor();
});

/** Navigates to a view with the router: reloading the whole page would take most of the test's time. */
async function show(page: Page, path: string): Promise<void> {
  await page.evaluate((address) => history.pushState(null, '', address), `/app${path}`);
}

type Look = { colorScheme: 'light' | 'dark'; width: number };
const LOOKS: readonly Look[] = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 390 },
];

async function wear(page: Page, { colorScheme, width }: Look): Promise<void> {
  await page.setViewportSize({ width, height: 800 });
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
}
