import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { answerElsewhere, ask, script } from './testing/ask.ts';
import { handAgent } from './testing/hand-agent.ts';
import { openPage } from './testing/page.ts';
import { screenshot } from './testing/screenshot.ts';
import { servePage, shareServedPage } from './testing/served-page.ts';

const served = shareServedPage();

test('open pages survive a killed daemon and resume when it is back', async () => {
  const lines = Array.from({ length: 60 }, (_, n) => ({ say: `Line ${n} was said before.` }));
  const { sessionId } = await ask(served(), script(...lines, { shell: 'echo asked' }));
  const session = await openPage(served(), { path: `/sessions/${sessionId}` });
  const board = await openPage(served(), { path: '/board' });
  const other = await openPage(served(), { path: '/board' });
  const lone = await openPage(served(), { path: '/board' });
  await lone.clock.install();
  await lone.addInitScript(countTries);
  await lone.reload();
  await lone.getByRole('heading', { name: 'Board' }).waitFor();
  await isLoaded(other, 'changes-view');
  const line = session.getByText('Line 50 was said before.');
  await session.getByRole('button', { name: /^Allow once/ }).waitFor();
  await line.hover();
  const card = board.getByRole('region', { name: 'Needs input' }).getByRole('article');
  await card.waitFor();
  const before = [await placeOf(line), await placeOf(card)];

  await served().kill();
  for (const page of [session, board, lone]) await offline(page).waitFor();
  await screenshot(session, 'offline-session');
  await screenshot(board, 'offline-board');
  const word = await offline(session).boundingBox();
  expect(word && word.x + word.width).toBeLessThan((await placeOf(line))?.x ?? 0);
  expect([await placeOf(line), await placeOf(card)]).toEqual(before);
  await session.getByRole('textbox', { name: 'Prompt' }).fill('Not lost');
  const trying = session.getByRole('button', { name: 'Reconnecting…' }).waitFor();
  await session.getByRole('button', { name: 'Reconnect' }).click();
  await trying;
  expect(await session.getByRole('status').getByRole('button').count()).toBe(0);
  // It is tried at once: the time of this page stands still, so that its next turn never comes.
  await lone.clock.pauseAt(new Date(Date.now() + 60_000));
  const earlier = await triesOf(lone);
  await lone.getByRole('button', { name: 'Reconnect' }).click();
  await expect.poll(() => triesOf(lone)).toBeGreaterThan(earlier);
  // A view that nobody has opened before can be opened now.
  await other.getByRole('link', { name: 'Machines' }).click();
  await other.getByRole('heading', { name: 'Machines' }).waitFor();

  await served().restart();
  for (const page of [session, board]) await offline(page).waitFor({ state: 'detached' });
  expect([await placeOf(line), await placeOf(card)]).toEqual(before);
  expect(await session.getByRole('textbox', { name: 'Prompt' }).inputValue()).toBe('Not lost');
  // Whatever became of the task while the daemon was away, the pages say so, and go on.
  await ask(served(), script({ say: 'Still here' }));
  await board.getByRole('region', { name: 'Done' }).getByText('Still here').waitFor();
  const { client } = served();
  await client.sessions.executeTask(sessionId, { prompt: script({ say: 'It goes on' }) });
  await answerElsewhere(served(), sessionId);
  await session.getByRole('log').getByText('It goes on', { exact: true }).waitFor();
});

test('a view that failed to load is loaded when the daemon is back, and a removed one needs a reload', async () => {
  const page = await openPage(served(), { path: '/board' });
  await page.route(/assets\/(usage|agents)-/, (route) => route.abort('connectionrefused'));
  await page.reload();
  const usage = page.getByRole('link', { name: 'Usage' });
  await usage.waitFor();
  await served().kill();
  await usage.click();
  await page.getByRole('heading', { name: 'Can’t load this view while offline' }).waitFor();
  await screenshot(page, 'not-loaded');
  await page.unrouteAll();
  await served().restart();
  await page.getByRole('heading', { name: 'Usage', exact: true }).waitFor();

  const gone = /assets\/(agents|schema-form)-/;
  await page.route(gone, (route) => route.abort('connectionrefused'));
  await page.evaluate(() => sessionStorage.clear());
  await page.goto(`${served().url}/app/`);
  await page.getByRole('textbox', { name: 'Prompt' }).fill('With a file');
  await page
    .getByLabel('Files to attach')
    .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') });
  const notes = page.getByRole('button', { name: 'Remove notes.txt' });
  await notes.waitFor();
  // A part of a view that is gone takes nothing along that would be lost with the page.
  const notLoaded = page.getByRole('heading', { name: 'Couldn’t load this part of the page' });
  await page.getByRole('button', { name: 'Options' }).click();
  await notLoaded.waitFor();
  await screenshot(page, 'part-not-loaded');
  await page.keyboard.press('Escape');
  await notes.waitFor();
  await page.getByRole('link', { name: 'Agents' }).click();
  await notLoaded.waitFor();
  await page.getByText('Attached files').waitFor();
  await page.getByRole('link', { name: 'New task' }).first().click();
  await notes.click();
  await notes.waitFor({ state: 'detached' });
  // Where nothing is lost the page loads itself anew, and does so once.
  const isLoadedAnew = page.waitForEvent('load');
  await page.getByRole('link', { name: 'Agents' }).click();
  await isLoadedAnew;
  await notLoaded.waitFor();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Reload page' }).click();
  await page.getByRole('heading', { name: 'Agents', exact: true }).waitFor();
});

test('two browsers on one session see the same at the same time', async () => {
  const quiet = await servePage({ slots: 0 });
  const agent = await handAgent(quiet);
  const path = `/sessions/${agent.sessionId}`;
  const pages = [await openPage(quiet, { path }), await openPage(quiet, { path })] as const;
  const [one, other] = pages;
  const message = { messageId: 'm', kind: 'text' };
  await agent.say({ type: 'message.started', ...message });
  for (const word of ['Both ', 'see ', 'this ']) {
    await agent.say({ type: 'message.delta', ...message, text: word });
  }
  for (const page of pages) await page.getByText('Both see this').waitFor();
  const action = { type: 'command', command: 'echo shared' };
  await agent.say({ type: 'message.delta', ...message, text: 'and that.' });
  await agent.say({
    type: 'permission.requested',
    requestId: 'r',
    tool: 'shell',
    action,
    scopes: ['once'],
  });
  for (const page of pages) await page.getByText('Both see this and that.').waitFor();
  await other.getByRole('button', { name: /^Allow once/ }).waitFor();
  await one.getByRole('button', { name: /^Allow once/ }).click();
  for (const page of pages) await page.getByText(/Allowed once: \$ echo shared, by you/).waitFor();
  await expect.poll(() => other.getByRole('button', { name: /^Allow once/ }).count()).toBe(0);
  await one.getByText('Queue', { exact: true }).first().click();
  await one.getByRole('textbox', { name: 'Prompt' }).fill('And then');
  await one.getByRole('textbox', { name: 'Prompt' }).press('Enter');
  const queue = other.getByRole('list', { name: 'Queued prompts' });
  await queue.getByText('And then').waitFor();
});

/** Waits until a part of the page was loaded ahead. */
async function isLoaded(page: Page, part: string): Promise<void> {
  await page.waitForFunction(
    (name) => performance.getEntriesByType('resource').some((each) => each.name.includes(name)),
    `${part}-`,
  );
}

function offline(page: Page): Locator {
  return page.getByText('Disconnected from the daemon.');
}

async function placeOf(place: Locator): Promise<{ x: number; y: number } | null> {
  const box = await place.boundingBox();
  return box && { x: box.x, y: box.y };
}

/** Lets a page count how often it looks for its daemon. */
function countTries(): void {
  const tries: (string | URL)[] = [];
  class Counted extends WebSocket {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols);
      tries.push(url);
    }
  }
  Object.assign(globalThis, { WebSocket: Counted, tries });
}

function triesOf(page: Page): Promise<number> {
  return page.evaluate(() => (globalThis as unknown as { tries: unknown[] }).tries.length);
}
