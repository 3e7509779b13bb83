import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BatonClient } from '@baton/client';
import type { Locator, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { seriousBarriers } from './testing/axe.ts';
import {
  SHIP,
  say,
  startChain,
  step,
  trust,
  untilStatus,
  waitFor,
  writeChains,
} from './testing/chains.ts';
import { holdBack } from './testing/hold-back.ts';
import { openPage } from './testing/page.ts';
import { pressUntil } from './testing/press-until.ts';
import { screenshot } from './testing/screenshot.ts';
import { type ServedPage, servePage } from './testing/served-page.ts';
import { isTooWide } from './testing/too-wide.ts';

test('the example of the empty state is a chains file, and is listed once its folder is known', async () => {
  const served = await servePage();
  const page = await openPage(served, { path: '/chains' });
  await page.getByRole('heading', { name: 'No chains yet' }).waitFor();
  const example = await page.locator('pre code').innerText();
  writeFileSync(join(served.work, 'chains.yaml'), example);
  await page.getByRole('combobox', { name: 'Folder' }).fill(served.work);
  await page.getByRole('button', { name: 'Show chains' }).click();
  const chain = page.getByRole('listitem').filter({ hasText: 'Plan, approve, fix and review' });
  await chain.getByText('4 steps').waitFor();
  await page.getByRole('button', { name: 'All folders' }).click();
  await page.getByRole('heading', { name: 'No chains yet' }).waitFor();
  const missing = join(served.work, 'missing');
  await page.getByRole('combobox', { name: 'Folder' }).fill(missing);
  await page.getByRole('button', { name: 'Show chains' }).click();
  await page.getByRole('heading', { name: missing }).waitFor();
  mkdirSync(missing);
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByRole('heading', { name: 'No chains file in this folder' }).waitFor();
});

test('a file runs once it is trusted as it is, and says where it is broken', async () => {
  const served = await servePage();
  await served.client.sessions.create({ cwd: served.work, backend: 'demo' });
  writeChains(served, { ship: SHIP });
  const page = await openPage(served, { path: '/chains' });
  await page.getByText('Not trusted').waitFor();
  await page.getByText('ship → build/api').waitFor();
  await page.getByText('permission mode: allow-all').first().waitFor();
  const run = page.getByRole('button', { name: 'Run ship' });
  expect(await run.isDisabled()).toBe(true);
  expect(await describedBy(run)).toMatch(/trust it to run its chains/);
  await screenshot(page, 'chains-untrusted');
  expect(await seriousBarriers(page)).toEqual([]);

  // It changes after it was read and before it is trusted.
  const sendTrust = await holdBack(page, '"trust"');
  const button = page.getByRole('button', { name: 'Trust this file' });
  await button.click();
  writeChains(served, { ship: SHIP }, { providerOptions: { pace: 0 } });
  await sendTrust();
  await page.getByRole('alert').getByText('The chains file has changed.').waitFor();
  await page.getByText('provider options: {"pace":0}').first().waitFor();
  await button.click();
  await page.getByText('Trusted', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Run ship' }).waitFor();

  // A trusted file that changes needs trust again.
  writeChains(served, { ship: SHIP, other: { steps: [step('a', say('Hi'))] } });
  await page.getByText('Not trusted').waitFor();
  await page.getByRole('button', { name: 'Run other' }).waitFor();
  writeFileSync(join(served.work, 'chains.json'), '{ "chains": 1 }');
  await page.getByText(/chains\.json:1:13: /).waitFor();
  await screenshot(page, 'chains-broken');
});

test('the form has the inputs of the chain, and keeps them when the daemon refuses', async () => {
  const served = await servePage();
  const steps = [step('a', say('Did {{inputs.task}} {{inputs.depth}}'))];
  const file = writeChains(served, { ship: { ...SHIP, steps } }, { backend: 'codex-cli' });
  await trust(served, file);
  const page = await openPage(served, { path: '/chains' });
  await page.getByRole('link', { name: 'Run ship' }).click();
  await page.getByRole('heading', { name: 'Run ship' }).waitFor();
  const task = page.getByRole('textbox', { name: 'task (required)' });
  expect(await task.evaluate((field) => field.tagName)).toBe('TEXTAREA');
  const depth = page.getByRole('combobox', { name: 'depth' });
  expect(await depth.inputValue()).toBe('deep');
  expect(await page.getByRole('textbox', { name: 'branch' }).inputValue()).toBe('main');
  const run = page.getByRole('button', { name: 'Run chain' });
  await run.click();
  await page.getByText('Required.').waitFor();
  await task.fill('the search');
  await depth.selectOption('quick');
  await run.click();
  await page.getByRole('alert').getByText('Step "a": ').waitFor();
  expect(await task.inputValue()).toBe('the search');
  await screenshot(page, 'chains-form');
  expect(await seriousBarriers(page)).toEqual([]);

  writeChains(served, { ship: { ...SHIP, steps } });
  await page.getByRole('button', { name: 'Trust this file' }).click();
  await run.and(page.locator(':enabled')).click();
  await status(page, 'Done').waitFor();
  await page.getByText('the search', { exact: true }).waitFor();

  await page.getByRole('link', { name: 'Run again' }).click();
  await page.getByRole('heading', { name: 'Run ship' }).waitFor();
  expect(await task.inputValue()).toBe('the search');
  expect(await depth.inputValue()).toBe('quick');
  const { total } = await served.client.chainRuns.find();
  expect(total).toBe(1);
});

test('a run shows its steps live, and a user approves in the page', async () => {
  const served = await servePage();
  const file = writeChains(served, { ship: SHIP });
  await trust(served, file);
  const id = await startChain(served, file, 'ship', { task: 'search' });
  const page = await openPage(served, { path: `/chains/runs/${id}` });
  await box(page, 'plan').getByText('Done').waitFor();
  await box(page, 'build/api').getByText('Done').waitFor();
  await box(page, 'build/docs')
    .getByText(/sleep 0.05/)
    .waitFor();
  await box(page, 'build/docs').getByText('worker · Demo agent').waitFor();
  await box(page, 'release').getByText('Not started').waitFor();
  const [api, docs] = [
    await box(page, 'build/api').boundingBox(),
    await box(page, 'build/docs').boundingBox(),
  ];
  expect(api?.y).toBe(docs?.y);
  await screenshot(page, 'chain-run-parallel');

  // It survives its daemon.
  await served.kill();
  await page.getByText('Disconnected from the daemon.').waitFor();
  await served.restart();
  writeFileSync(join(served.work, 'go'), '');
  const approval = page.getByRole('region', { name: 'Approval release' });
  await approval.getByText('Release search to main?').waitFor();
  await status(page, 'Needs approval').waitFor();
  const nav = page.getByRole('navigation', { name: 'Views' });
  await nav.getByRole('link', { name: 'Chains 1 awaiting approval' }).waitFor();
  for (const look of LOOKS) {
    await wear(page, look);
    await screenshot(page, `chain-run-approval-${look.colorScheme}-${look.width}`);
    expect(await seriousBarriers(page)).toEqual([]);
    expect(await isTooWide(page), `too wide at ${look.width}`).toBe(false);
  }
  await wear(page, LOOKS[0]);
  await approval.getByRole('textbox', { name: 'Comment (optional)' }).fill('Ship it.');
  await pressUntil(
    approval.getByRole('button', { name: 'Approve' }),
    box(page, 'release').getByText('Approved: Ship it.'),
  );
  await status(page, 'Done').waitFor();
  expect(await approval.count()).toBe(0);
  await box(page, 'undo').getByText('Skipped').waitFor();
  const polish = page.getByRole('region', { name: 'polish', exact: true });
  await polish.getByText('Loop: iteration 2 of up to 3').waitFor();
  await page.getByText('until the output of fix is "Fixed 2"').waitFor();
  await page.getByText('if review succeeded').waitFor();
  // Iterations that are over are folded, except the last.
  await box(page, 'polish#2/review').waitFor();
  expect(await box(page, 'polish#1/review').count()).toBe(0);
  await polish.getByRole('button', { name: /^Iteration 1/ }).click();
  for (const look of [LOOKS[1], LOOKS[2], LOOKS[0]]) {
    await wear(page, look, 2400);
    await screenshot(page, `chain-run-done-${look.colorScheme}-${look.width}`);
    expect(await isTooWide(page), `too wide at ${look.width}`).toBe(false);
  }

  // By keyboard, to the session of a step in a loop.
  const link = box(page, 'polish#1/review').getByRole('link', { name: 'review' });
  await link.focus();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/sessions/*');
  await page.getByRole('log').getByText('Iteration 1').first().waitFor();
});

test('an answer from elsewhere removes the buttons, and a rejection fails the run', async () => {
  const served = await servePage();
  const steps = [{ id: 'ok', approve: 'Go?' }, step('after', say('Hi'))];
  const file = writeChains(served, { ask: { steps } });
  await trust(served, file);
  const id = await startChain(served, file, 'ask');
  const page = await openPage(served, { path: `/chains/runs/${id}` });
  await page.getByRole('button', { name: 'Reject' }).waitFor();
  await served.client.chainRuns.answer(id, { step: 'ok', decision: 'reject', comment: 'Not now' });
  await page.getByRole('button', { name: 'Reject' }).waitFor({ state: 'detached' });
  await box(page, 'ok').getByText('Rejected: Not now').waitFor();
  await status(page, 'Failed').waitFor();
});

test('failed steps say why and run again, and a chain stops after a confirmation', async () => {
  const served = await servePage();
  const steps = [
    step('first', say('Once')),
    step('ignored', 'demo:fail', { onFailure: 'continue' }),
    step('second', say('Now it works'), { cwd: 'later' }),
    step('third', [waitFor('never')], { agent: 'asker' }),
  ];
  const file = writeChains(served, { flaky: { steps } });
  await trust(served, file);
  const id = await startChain(served, file, 'flaky');
  const page = await openPage(served, { path: `/chains/runs/${id}` });
  await status(page, 'Failed').waitFor();
  await box(page, 'ignored').getByText('because it was asked to').waitFor();
  await box(page, 'second').getByText('later').waitFor();
  await box(page, 'third').getByText('Skipped').waitFor();
  await screenshot(page, 'chain-run-failed');
  expect(await seriousBarriers(page)).toEqual([]);

  mkdirSync(join(served.work, 'later'));
  await page.getByRole('button', { name: 'Run failed steps again' }).click();
  await box(page, 'second').getByText('attempt 2').waitFor();
  await box(page, 'third').getByText('Needs input').waitFor();
  await box(page, 'third')
    .getByText(/^Asks: .*sleep 0.05/)
    .waitFor();
  expect(await box(page, 'first').getByText('attempt').count()).toBe(0);
  await page.getByRole('button', { name: 'Stop' }).click();
  const dialog = page.getByRole('dialog', { name: 'Stop the chain?' });
  await dialog.getByRole('button', { name: 'Keep running' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Stop' }).click();
  await dialog.getByRole('button', { name: 'Stop' }).click();
  await status(page, 'Stopped').waitFor();
  await page.getByRole('button', { name: 'Run failed steps again' }).waitFor();
});

test('the history has all runs, newest first, with filters and pages', async () => {
  const served = await servePage();
  const file = writeChains(served, {
    good: { steps: [step('a', say('Hi'))] },
    bad: { steps: [step('a', 'demo:fail')] },
    ask: { steps: [{ id: 'ok', approve: 'Go?' }] },
  });
  await trust(served, file);
  for (let count = 0; count < 50; count += 1) await startChain(served, file, 'ask');
  await untilStatus(served, await startChain(served, file, 'good'), 'done');
  const failed = await startChain(served, file, 'bad');
  await untilStatus(served, failed, 'failed');
  const page = await openPage(served, { path: '/chains' });
  await page.getByRole('link', { name: 'Runs', exact: true }).click();
  const runs = page.getByRole('list', { name: 'Chain runs' }).locator(':scope > li');
  await expect.poll(() => runs.count()).toBe(50);
  expect(await runs.first().innerText()).toMatch(
    /^bad\s+Failed\s+.*project.*started just now.*took/s,
  );
  await screenshot(page, 'chains-history');
  expect(await seriousBarriers(page)).toEqual([]);
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect.poll(() => runs.count()).toBe(52);
  await page.getByRole('combobox', { name: 'Status' }).selectOption('Done');
  await expect.poll(() => runs.count()).toBe(1);
  await page.getByRole('combobox', { name: 'Chain', exact: true }).selectOption('bad');
  await page.getByRole('heading', { name: 'No runs match these filters' }).waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByRole('combobox', { name: 'Chain', exact: true }).selectOption('bad');
  await expect.poll(() => runs.count()).toBe(1);
  await runs.getByRole('link', { name: 'bad' }).click();
  await page.waitForURL(`**/chains/runs/${failed}`);
  await page.getByRole('link', { name: 'All runs of this chain' }).click();
  await expect.poll(() => runs.count()).toBe(1);
});

test('a viewer sees chains and runs, and no actions', async () => {
  const served = await servePage();
  const file = writeChains(served, { ask: { steps: [{ id: 'ok', approve: 'Go?' }] } });
  await trust(served, file);
  const id = await startChain(served, file, 'ask');
  const token = await viewerToken(served);
  const page = await openPage({ ...served, token }, { path: '/chains' });
  const main = page.getByRole('main');
  await main.getByText('ask', { exact: true }).waitFor();
  expect(await main.getByRole('link', { name: 'Run ask' }).count()).toBe(0);
  expect(await main.getByRole('button').count()).toBe(0);
  writeChains(served, { ask: { steps: [{ id: 'ok', approve: 'Now?' }] } });
  await main.getByText('until a member trusts this file').waitFor();
  expect(await main.getByRole('button').count()).toBe(0);
  await page.goto(`${served.url}/app/chains/runs/${id}`);
  await main.getByText('Only members and owners can respond.').waitFor();
  await status(page, 'Needs approval').waitFor();
  expect(await main.getByRole('button').count()).toBe(0);
  await page.goto(`${served.url}/app/chains/runs/none`);
  await main.getByText('Chain run "none" not found.').waitFor();
});

async function viewerToken({ client, url }: ServedPage): Promise<string> {
  const { link_secret } = await client.users.create({ name: 'A viewer', role: 'viewer' });
  const stranger = new BatonClient({ url });
  onTestFinished(() => stranger.close());
  return (await stranger.authentication.withLink(link_secret)).accessToken;
}

async function describedBy(control: Locator): Promise<string | null | undefined> {
  return control.evaluate((element) => {
    const id = element.getAttribute('aria-describedby') ?? '';
    return document.getElementById(id)?.textContent;
  });
}

/** The box of a step, by its path. */
function box(page: Page, path: string): Locator {
  return page.getByRole('article', { name: path, exact: true });
}

function status(page: Page, words: string | RegExp): Locator {
  return page.getByRole('status').getByText(words, { exact: true });
}

type Look = { colorScheme: 'light' | 'dark'; width: number };
const LOOKS: readonly [Look, Look, Look] = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 1280 },
  { colorScheme: 'light', width: 390 },
];

async function wear(page: Page, { colorScheme, width }: Look, height = 1000): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
}
