import { expect, test } from 'vitest';
import { heapOf } from './testing/heap.ts';
import { importSession, talkAndWork } from './testing/long-session.ts';
import { openPage } from './testing/page.ts';
import { type ServedPage, servePage } from './testing/served-page.ts';

const LONG = 50_000;
const SHORT = 500;
const MOST_ROUNDS = 8;
const MOST_TIMES = 1.5;

type Cost = { firstContentMs: number; heapBytes: number };

test('a session of 50,000 events opens like one of 500', async () => {
  const served = await servePage();
  const { client, work } = served;
  const short = await importSession(client, work, talkAndWork(SHORT));
  const long = await importSession(client, work, talkAndWork(LONG));
  // The first page of a browser pays for everything that the others find warm.
  await openingCost(served, short);
  const costs: Record<'short' | 'long', Cost[]> = { short: [], long: [] };
  const ratio = (of: keyof Cost) => least(costs.long, of) / least(costs.short, of);
  const isFine = () => ratio('firstContentMs') < MOST_TIMES && ratio('heapBytes') < MOST_TIMES;
  // A machine that does something else at the same time makes one opening slow, but not the best of some.
  for (let round = 0; round < MOST_ROUNDS && (round < 2 || !isFine()); round += 1) {
    costs.short.push(await openingCost(served, short));
    costs.long.push(await openingCost(served, long));
  }
  expect(ratio('firstContentMs')).toBeLessThan(MOST_TIMES);
  expect(ratio('heapBytes')).toBeLessThan(MOST_TIMES);
}, 120_000);

async function openingCost(served: ServedPage, sessionId: string): Promise<Cost> {
  const page = await openPage(served, { path: '/board' });
  const begun = Date.now();
  await page.goto(`${served.url}/app/sessions/${sessionId}`);
  // Looked for in every frame: locators look now and then, which would be most of what is measured.
  await page.waitForFunction(() => /^Step \d+:/m.test(document.body.innerText));
  const firstContentMs = Date.now() - begun;
  const heapBytes = await heapOf(page);
  await page.close();
  return { firstContentMs, heapBytes };
}

function least(costs: readonly Cost[], of: keyof Cost): number {
  return Math.min(...costs.map((cost) => cost[of]));
}
