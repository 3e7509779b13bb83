import { expect, test } from 'vitest';
import { handAgent } from './testing/hand-agent.ts';
import { heapOf } from './testing/heap.ts';
import { openPage } from './testing/page.ts';
import { servePage } from './testing/served-page.ts';

const OUTPUT = 'A line of some output of a program.\n'.repeat(3000);
const AT_ONCE = 10;
/** After so many tools their output was forgotten once at least. */
const SOON = 300;
const IN_THE_MORNING = 3000;

test('a page that is left open while an agent prints 300 MB does not grow, and has all of it', async () => {
  const served = await servePage({ slots: 0 });
  const { sessionId, say } = await handAgent(served);
  const page = await openPage(served, { path: `/sessions/${sessionId}` });
  let count = 0;
  const workUntil = async (last: number) => {
    while (count < last) {
      await say(...Array.from({ length: AT_ONCE }, () => printed(++count)).flat());
    }
    await page.getByRole('log').getByText(`./print ${count}`, { exact: true }).waitFor();
  };
  await workUntil(SOON);
  const soon = await heapOf(page);
  await workUntil(IN_THE_MORNING);
  const inTheMorning = await heapOf(page);
  expect(inTheMorning / soon).toBeLessThan(2);

  // Unloaded entries are loaded again when the reader scrolls up.
  const early = page.getByRole('log').getByText(`./print ${IN_THE_MORNING - 100}`, { exact: true });
  const goUp = (log: HTMLElement | SVGElement) => log.scrollBy({ top: -log.clientHeight });
  await expect
    .poll(
      async () => {
        await page.getByRole('log').evaluate(goUp);
        return early.count();
      },
      { timeout: 60_000 },
    )
    .toBe(1);
}, 300_000);

function printed(number: number) {
  const call = { callId: `c${number}`, name: 'shell' };
  const action = { type: 'command', command: `./print ${number}` };
  return [
    { type: 'tool.started', ...call, action },
    { type: 'tool.completed', ...call, action, outcome: 'ok', output: OUTPUT },
  ];
}
