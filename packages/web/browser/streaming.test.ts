import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { handAgent } from './testing/hand-agent.ts';
import { openPage } from './testing/page.ts';
import { servePage } from './testing/served-page.ts';

const PER_SECOND = 500;
const SECONDS = 4;
const BATCHES_PER_SECOND = 20;

test('500 events a second leave the page responsive, and do not move what somebody reads', async () => {
  const served = await servePage({ slots: 0 });
  const agent = await handAgent(served);
  const message = { messageId: 'm', kind: 'text' };
  await agent.say({ type: 'message.started', ...message });
  for (let line = 0; line < 80; line += 1) {
    await agent.say({
      type: 'message.delta',
      ...message,
      text: `Line ${line} was said before.\n\n`,
    });
  }
  const page = await openPage(served, { path: `/sessions/${agent.sessionId}` });
  await page.getByText('Line 79 was said before.').waitFor();
  await page.getByText('Line 40 was said before.').scrollIntoViewIfNeeded();
  const place = () => page.getByText('Line 40 was said before.').boundingBox();
  const before = await place();

  await watchLongTasks(page);
  await page.waitForTimeout(SECONDS * 1000);
  const idle = await longTasks(page);
  await stream(agent, message);
  await page.waitForTimeout(500);
  const busy = await longTasks(page);
  expect((await place())?.y).toBe(before?.y);
  // The last of what was said is there, with a button that leads to it.
  await page.getByRole('button', { name: /latest/i }).click();
  await page.getByText(`word ${PER_SECOND * SECONDS - 1}`).waitFor();
  console.log(JSON.stringify({ idle, busy }));
  expect(busy.total - idle.total).toBeLessThan(0.3 * SECONDS * 1000);
}, 60_000);

async function stream(
  agent: Awaited<ReturnType<typeof handAgent>>,
  message: { messageId: string; kind: string },
): Promise<void> {
  const size = PER_SECOND / BATCHES_PER_SECOND;
  const begun = Date.now();
  for (let batch = 0; batch < BATCHES_PER_SECOND * SECONDS; batch += 1) {
    const words = Array.from({ length: size }, (_, index) => {
      const end = index === size - 1 ? '\n\n' : ' ';
      return { type: 'message.delta', ...message, text: `word ${batch * size + index}${end}` };
    });
    await agent.say(...words);
    const due = begun + ((batch + 1) * 1000) / BATCHES_PER_SECOND;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - Date.now())));
  }
}

type LongTasks = { count: number; total: number; longest: number };

/** Lets the browser note every task that holds up the page for more than 50 ms. */
async function watchLongTasks(page: Page): Promise<void> {
  await page.evaluate(() => {
    const noted: number[] = [];
    Object.assign(globalThis, { noted });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) noted.push(duration);
    }).observe({ type: 'longtask' });
  });
}

/** What was noted since the last time. */
function longTasks(page: Page): Promise<LongTasks> {
  return page.evaluate(() => {
    const { noted } = globalThis as unknown as { noted: number[] };
    const durations = noted.splice(0);
    return {
      count: durations.length,
      total: durations.reduce((sum, each) => sum + each, 0),
      longest: Math.max(0, ...durations),
    };
  });
}
