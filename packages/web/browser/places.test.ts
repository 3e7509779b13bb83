import { expect, test } from 'vitest';
import { script } from './testing/ask.ts';
import { handAgent } from './testing/hand-agent.ts';
import { hasFocus } from './testing/has-focus.ts';
import { holdBack } from './testing/hold-back.ts';
import { importSession, talkAndWork } from './testing/long-session.ts';
import { openPage } from './testing/page.ts';
import { servePage } from './testing/served-page.ts';

test('a growing prompt and a lost connection do not move what is read', async () => {
  const served = await servePage({ slots: 0 });
  const { sessionId, say } = await handAgent(served);
  const text = Array.from({ length: 60 }, (_, line) => `Line ${line}`).join('\n\n');
  await say({ type: 'message.completed', messageId: 'm', kind: 'text', text });
  const page = await openPage(served, { path: `/sessions/${sessionId}` });
  const last = page.getByText('Line 59');
  await last.waitFor();
  const log = page.getByRole('log');
  const isLastSeen = () =>
    last.evaluate((line) => {
      const frame = line.closest('[role=log]')?.getBoundingClientRect();
      return line.getBoundingClientRect().bottom <= (frame?.bottom ?? 0);
    });
  await expect.poll(isLastSeen).toBe(true);
  const tall = (await log.boundingBox())?.height ?? 0;
  await page.getByRole('textbox', { name: 'Prompt' }).fill('a\nb\nc\nd\ne\nf\ng');
  await expect.poll(async () => (await log.boundingBox())?.height).toBeLessThan(tall);
  await expect.poll(isLastSeen).toBe(true);
  const before = await last.boundingBox();
  await served.kill();
  await page.getByText('Disconnected from the daemon.').waitFor();
  expect(await last.boundingBox()).toEqual(before);
});

test('a reader at the end sees the status line of the agent, also when it comes late', async () => {
  const served = await servePage({ slots: 0 });
  const { sessionId, say } = await handAgent(served);
  const text = Array.from({ length: 60 }, (_, line) => `Line ${line}`).join('\n\n');
  await say({ type: 'message.completed', messageId: 'm', kind: 'text', text });
  const page = await openPage(served, { path: `/sessions/${sessionId}` });
  const letComeTasks = await holdBack(page, '"tasks"');
  await page.getByText('Line 59').waitFor();
  await letComeTasks();
  const log = page.getByRole('log');
  await log.getByRole('status').getByText('Running').waitFor();
  const distance = () =>
    log.evaluate(
      ({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight,
    );
  await expect.poll(distance).toBeLessThan(2);
});

test('a sub-agent that did a lot does not have everything before it loaded', async () => {
  const served = await servePage();
  const id = await importSession(served.client, served.work, subAgent(1200));
  const page = await openPage(served, { path: `/sessions/${id}` });
  const more = page.getByRole('button', { name: 'Load earlier messages' });
  await more.waitFor();
  expect(await page.getByText('Go through all files.').count()).toBe(0);
  const steps = () => page.getByText(/^\d+ steps$/).innerText();
  const before = Number.parseInt(await steps(), 10);
  await more.click();
  await expect.poll(async () => Number.parseInt(await steps(), 10)).toBeGreaterThan(before);
});

test('restores the scroll position of a transcript, or its end', async () => {
  const served = await servePage();
  const id = await importSession(served.client, served.work, talkAndWork(700));
  const page = await openPage(served, { path: `/sessions/${id}` });
  const log = page.getByRole('log');
  const last = log.getByText('Step 70:');
  const read = log.getByText('Step 7:');
  await last.waitFor();
  await expect
    .poll(async () => {
      await log.evaluate((each) => each.scrollTo({ top: 0 }));
      return log.getByText('Step 1:').count();
    })
    .toBe(1);
  await read.evaluate((line) => line.scrollIntoView({ block: 'center' }));
  const heightOf = async () => (await read.boundingBox())?.y;
  const before = (await heightOf()) ?? 0;
  const parts = page.getByRole('navigation', { name: 'Session views' });
  await parts.getByRole('link', { name: 'Changes' }).click();
  await page.getByRole('heading', { name: 'No changes yet' }).waitFor();
  await parts.getByRole('link', { name: 'Transcript' }).click();
  await read.waitFor();
  expect(await heightOf()).toBeCloseTo(before, 0);
  await page.getByRole('link', { name: 'Board' }).click();
  await page.getByRole('heading', { name: 'Board' }).waitFor();
  await page.goBack();
  await read.waitFor();
  expect(await heightOf()).toBeCloseTo(before, 0);
  await page.getByRole('button', { name: 'Jump to latest' }).click();
  await last.waitFor();
  await hasFocus(log);
  await page.goForward();
  await page.goBack();
  await last.waitFor();
  expect(await page.getByRole('button', { name: 'Jump to latest' }).count()).toBe(0);

  // A pending request is shown, whatever the scroll position was.
  await expect
    .poll(async () => {
      await log.evaluate((each) => each.scrollTo({ top: 0 }));
      return log.getByText('Step 1:').count();
    })
    .toBe(1);
  await page.getByRole('link', { name: 'Board' }).click();
  const prompt = script({ write: { path: 'asked.txt', content: 'x' } });
  await served.client.sessions.executeTask(id, { prompt });
  await page
    .getByRole('region', { name: 'Needs input' })
    .getByText(/^Asks: /)
    .waitFor();
  await page.goBack();
  await log.getByRole('button', { name: /^Allow once/ }).waitFor();

  // What was unfolded is folded again, so that their place is the end now.
  const short = await importSession(served.client, served.work, [
    { type: 'message.completed', messageId: 'm', kind: 'text', text: 'Line\n\n'.repeat(10) },
    ...shellThatPrints('line\n'.repeat(100)),
  ]);
  await page.goto(`${served.url}/app/sessions/${short}`);
  await log.getByRole('button', { name: /^Show \d+ more lines/ }).click();
  await hasFocus(log.getByRole('button', { name: 'Show less' }));
  const toLatest = page.getByRole('button', { name: 'Jump to latest' });
  await expect
    .poll(async () => {
      await log.evaluate((each) => each.scrollTo({ top: 0 }));
      return toLatest.count();
    })
    .toBe(1);
  await page.getByRole('link', { name: 'Board' }).click();
  await page.getByRole('heading', { name: 'Board' }).waitFor();
  await page.goBack();
  await log.getByText('Line').first().waitFor();
  await expect.poll(() => toLatest.count()).toBe(0);
});

test('raw events load from the end, and more on demand', async () => {
  const served = await servePage();
  const id = await importSession(served.client, served.work, talkAndWork(2000));
  const page = await openPage(served, { path: `/sessions/${id}` });
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Raw events' }).click();
  const raw = page.getByRole('complementary', { name: 'Raw events' });
  await raw.getByText('run.completed').waitFor();
  const more = raw.getByRole('button', { name: 'Load earlier events' });
  // The last click takes the button away.
  const loadMore = () => more.click({ timeout: 1000 }).catch(() => {});
  await expect.poll(() => loadMore().then(() => more.count())).toBe(0);
  await raw.getByText('2,004 events').waitFor();
});

function shellThatPrints(output: string) {
  const call = { callId: 'c', name: 'shell', action: { type: 'command', command: 'seq' } };
  return [
    { type: 'tool.started', ...call, input: {} },
    { type: 'tool.completed', ...call, outcome: 'ok', output },
  ];
}

function* subAgent(steps: number) {
  const action = { type: 'subagent', description: 'Look around' };
  yield { type: 'tool.started', callId: 'a', name: 'task', action, input: {} };
  for (let step = 1; step <= steps; step += 1) {
    const message = { messageId: `m${step}`, kind: 'text', text: `Step ${step}` };
    yield { type: 'message.completed', ...message, parentId: 'a' };
  }
  yield { type: 'tool.completed', callId: 'a', name: 'task', action, outcome: 'ok' };
}
