import { expect, test } from 'vitest';
import { seriousBarriers } from './testing/axe.ts';
import { openPage } from './testing/page.ts';
import { screenshot } from './testing/screenshot.ts';
import { servePage } from './testing/served-page.ts';

test('machines show executors, their run time, and the queue', async () => {
  const served = await servePage();
  const session = await served.client.sessions.create({ cwd: served.work, backend: 'demo' });
  const ask = (prompt: string) =>
    served.client.sessions.executeTask(session.session_id, { prompt });
  await ask('demo:stall');
  await ask(`Then this ${'x'.repeat(300)}`);
  const page = await openPage(served, { path: '/machines' });
  const executors = page.getByRole('list', { name: 'Executors' });
  await executors.getByText('demo:stall').waitFor();
  await executors.getByText('Last heartbeat').waitFor();
  await executors.getByText('Last output').waitFor();
  await executors.getByText(/^\d+ s left$/).waitFor();
  await page
    .getByRole('list', { name: 'Queued tasks' })
    .getByText(/^Then this x+…$/)
    .waitFor();
  // Facts stand below each other, whatever they say.
  await served.client.launch({ backend: 'demo', cwd: served.work, prompt: 'demo:stall too' });
  const signs = executors.getByText('Last heartbeat');
  await expect.poll(() => signs.count()).toBe(2);
  await executors
    .locator('dd')
    .first()
    .evaluate((fact) => fact.append('for a long time'));
  const places = await signs.evaluateAll((facts) =>
    facts.map((fact) => fact.getBoundingClientRect().x),
  );
  expect(places[0]).toBe(places[1]);
  const daemons = page.getByRole('list', { name: 'Daemons' });
  await daemons.getByText('alive').waitFor();
  await daemons.getByText('2 of 4 slots in use').waitFor();
  expect(await seriousBarriers(page)).toEqual([]);
});

test('usage has an empty state, a chart and a table', async () => {
  const served = await servePage();
  const page = await openPage(served, { path: '/usage' });
  await page.getByRole('heading', { name: 'No usage in this period' }).waitFor();
  const run = await served.client.launch({
    backend: 'demo',
    cwd: served.work,
    prompt: 'demo:script [{"say":"hello"}]',
  });
  await run.result;
  await page.getByLabel('Metric').selectOption('Cost');
  await page.getByText('No data for this period.').waitFor();
  await page.getByLabel('Metric').selectOption('Tasks');
  await page.getByRole('img', { name: /^Tasks by day/ }).waitFor();
  expect(await page.getByText('0.5', { exact: true }).count()).toBe(0);
  await page.getByLabel('Group by').selectOption('folder');
  await page.getByText(served.work).waitFor();
  expect(await seriousBarriers(page)).toEqual([]);
  await page.getByRole('button', { name: 'Table' }).first().click();
  const today = new Date().toISOString().slice(0, 10);
  const row = page.getByRole('row').filter({ hasText: today });
  expect(await row.getByRole('cell').first().textContent()).toBe('1');
  expect(await seriousBarriers(page)).toEqual([]);
  // Where several agents worked, each has its part of a bar.
  const { session_id } = await served.client.sessions.create({
    cwd: served.work,
    backend: 'codex',
  });
  await served.client.sessions.executeTask(session_id, { prompt: 'Hi' });
  await page.getByRole('button', { name: 'Chart' }).click();
  const legend = page.getByRole('figure').getByRole('listitem');
  await expect.poll(() => legend.allInnerTexts()).toEqual(['Codex', 'Demo agent']);
  await screenshot(page, 'usage-by-agent');
  expect(await seriousBarriers(page)).toEqual([]);
});
