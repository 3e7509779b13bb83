import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { type HandAgent, handAgent } from './testing/hand-agent.ts';
import { openPage } from './testing/page.ts';
import { watchWork } from './testing/page-cost.ts';
import { shareServedPage } from './testing/served-page.ts';

const PER_SECOND = 500;
const SECONDS = 3;
const BATCHES_PER_SECOND = 20;
const MESSAGE = { messageId: 'm', kind: 'text' };
/** So much of the time the page may work on what comes. */
const MOST_AT_WORK = 0.5 * SECONDS;

const served = shareServedPage({ slots: 0 });
let agent: HandAgent;
let page: Page;

beforeEach(async () => {
  agent = await handAgent(served());
  const said = Array.from({ length: 80 }, (_, line) => `Line ${line} was said before.\n\n`);
  await agent.say(
    { type: 'message.started', ...MESSAGE },
    ...said.map((text) => ({ type: 'message.delta', ...MESSAGE, text })),
  );
  page = await openPage(served(), { path: `/sessions/${agent.sessionId}` });
  await page.getByText('Line 79 was said before.').waitFor();
});

test('500 events a second neither block the page nor move what is read', async () => {
  const line = page.getByText('Line 40 was said before.');
  await line.scrollIntoViewIfNeeded();
  const before = await line.boundingBox();
  const last = await expectCalm();
  expect(await line.boundingBox()).toEqual(before);
  // The last of what was said is there, with a button that leads to it.
  await page.getByRole('button', { name: 'Jump to latest' }).click();
  await page.getByText(last).waitFor();
});

test('500 events a second do not block the page that follows them', async () => {
  const last = await expectCalm();
  await page.getByText(last).waitFor();
  const distance = () =>
    page.getByRole('log').evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight);
  await expect.poll(distance).toBeLessThan(2);
  expect(await page.getByRole('button', { name: 'Jump to latest' }).count()).toBe(0);
});

test('visible controls can be clicked while the page follows new text', async () => {
  const line = page.getByText('Line 79 was said before.');
  const watched = await line.evaluateHandle((element) => {
    const log = element.closest('[role=log]');
    const moved = new Promise((resolve) =>
      log?.addEventListener('scroll', resolve, { once: true }),
    );
    const isHit = async () => {
      await moved;
      for (let frame = 0; frame < 5; frame += 1) {
        await new Promise(requestAnimationFrame);
        const { x, y, width, height } = element.getBoundingClientRect();
        if (document.elementFromPoint(x + width / 2, y + height / 2) !== element) return false;
      }
      return true;
    };
    return { isHit: isHit() };
  });
  await agent.say({ type: 'message.delta', ...MESSAGE, text: 'It goes on.\n\nAnd on.\n\n' });
  expect(await watched.evaluate(({ isHit }) => isHit)).toBe(true);
});

/** Lets the agent speak, and checks that the page is at rest most of the time; gives the last words that were said. */
async function expectCalm(): Promise<string> {
  const work = await watchWork(page);
  const last = await stream();
  expect(await work()).toBeLessThan(MOST_AT_WORK);
  return last;
}

/** Says a word with a number again and again; gives the last one. */
async function stream(): Promise<string> {
  const size = PER_SECOND / BATCHES_PER_SECOND;
  const begun = Date.now();
  for (let batch = 0; batch < BATCHES_PER_SECOND * SECONDS; batch += 1) {
    const words = Array.from({ length: size }, (_, index) => {
      const end = index === size - 1 ? '\n\n' : ' ';
      return { type: 'message.delta', ...MESSAGE, text: `word ${batch * size + index}${end}` };
    });
    await agent.say(...words);
    const due = begun + ((batch + 1) * 1000) / BATCHES_PER_SECOND;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - Date.now())));
  }
  return `word ${PER_SECOND * SECONDS - 1}`;
}
