import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { seriousBarriers } from './testing/axe.ts';
import { hasFocus } from './testing/has-focus.ts';
import { openPage } from './testing/page.ts';
import { shareServedPage } from './testing/served-page.ts';
import { isTooWide } from './testing/too-wide.ts';

const served = shareServedPage({ env: { BATON_CODEX_BIN: '/nowhere/codex' } });

test('agents are shown with what they lack, and each option tells how it works', async () => {
  const page = await openPage(served(), { path: '/agents' });
  const demo = page.getByRole('listitem').filter({ hasText: 'Demo agent' });
  await demo.getByText('Ready').waitFor();
  const middleOf = async (place: Locator) => {
    const { y, height } = (await place.boundingBox()) ?? { y: 0, height: 0 };
    return y + height / 2;
  };
  const title = page.getByRole('heading', { name: 'On this machine' });
  const look = page.getByRole('button', { name: 'Look again' });
  expect(await middleOf(look)).toBeCloseTo(await middleOf(title), 0);
  const how = page.getByText('Baton counts the turns and interrupts');
  expect(await how.isVisible()).toBe(false);
  await page.getByRole('button', { name: 'maxTurns' }).click();
  await how.waitFor();
  expect(await seriousBarriers(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await isTooWide(page)).toBe(false);
});

test('options of every task are set, marked, and reset; what cannot be read is not sent', async () => {
  const page = await openPage(served(), { path: '/agents/demo' });
  const saved = async () => (await served().client.backends.get('demo')).default_options;
  const wrong = page.locator('[aria-invalid=true]');
  const turns = page.getByRole('spinbutton', { name: 'Most turns' });
  await turns.fill('0');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('At least 1.').waitFor();
  await expect.poll(() => wrong.count()).toBe(1);
  await page.getByRole('button', { name: 'Reset Most turns to the default' }).click();
  await hasFocus(turns);
  await expect.poll(() => wrong.count()).toBe(0);
  await turns.fill('5');
  // What is not saved yet is there again after a look at another view.
  await page.getByRole('link', { name: 'Board' }).first().click();
  await page.getByRole('heading', { name: 'Board' }).waitFor();
  await page.goBack();
  await expect.poll(() => turns.inputValue()).toBe('5');
  await page.getByText('1 option set, not saved yet').waitFor();
  // What only the daemon can tell is told too.
  await page.getByLabel('Schema of the output').fill('{"type":"bogus"}');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The output schema is not a valid JSON Schema').waitFor();
  await page.getByRole('button', { name: 'Reset Schema of the output' }).click();
  // What the daemon keeps elsewhere is not offered here.
  expect(await page.getByLabel(/Permission mode|MCP servers/).count()).toBe(0);
  const variables = page.getByLabel('Environment variables');
  await variables.fill('A=1\nB');
  await page.getByText('There is no NAME=value in "B".').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  expect(await saved()).toEqual({});
  // One key is enough to put it right.
  await variables.press('=');
  await expect.poll(() => wrong.count()).toBe(0);
  await page.keyboard.press('2');
  await page.getByLabel('Milliseconds between two words').fill('0.5');
  await page.getByLabel('In all, in seconds').fill('1.5');
  await page.getByText('4 options set, not saved yet').waitFor();
  expect(await seriousBarriers(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('4 options set', { exact: true }).waitFor();
  expect(await saved()).toEqual({
    maxTurns: 5,
    env: { A: '1', B: '2' },
    timeouts: { totalMs: 1500 },
    providerOptions: { pace: 0.5 },
  });
  await page.getByRole('button', { name: 'Reset Most turns to the default' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('3 options set', { exact: true }).waitFor();
  await hasFocus(page.getByRole('button', { name: 'Save' }));
  await page.getByRole('button', { name: 'Reset all' }).click();
  await hasFocus(page.getByRole('heading', { name: 'Options of every task' }));
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('All as the agent does it', { exact: true }).waitFor();
  await expect.poll(saved).toEqual({});
});

test('an agent is tested on demand, and what was found is told', async () => {
  const page = await openPage(served(), { path: '/agents/demo' });
  const below = page.getByRole('heading', { name: 'Options of every task' });
  const before = await below.boundingBox();
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  const report = page.getByRole('status').filter({ hasText: 'Took' });
  await report.getByText('Ready').waitFor();
  for (const fact of ['Version', 'Program', 'not needed', 'Allow everything', 'Took']) {
    await report.getByText(fact).waitFor();
  }
  expect(await below.boundingBox(), 'nothing jumps').toEqual(before);
  await page.goto(`${served().url}/app/agents/codex`);
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await report.getByText('Not installed').waitFor();
  await report.getByText('/nowhere/codex does not exist.').waitFor();
  await report.getByRole('button', { name: 'Copy the command that installs' }).waitFor();
  expect(await seriousBarriers(page)).toEqual([]);
});

test('a key is kept, its value never shown, and removed after a question', async () => {
  const page = await openPage(served(), { path: '/agents/keys' });
  await page.getByRole('button', { name: 'Add a key' }).click();
  const name = page.getByLabel('Name');
  await page.getByRole('button', { name: 'Keep it' }).click();
  expect(await name.evaluate((field) => field === document.activeElement)).toBe(true);
  const wrong = page.locator('[aria-invalid=true]');
  expect(await wrong.count()).toBe(2);
  await name.fill('small');
  await page.getByText('The name of a variable, in capitals').waitFor();
  expect(await seriousBarriers(page)).toEqual([]);
  await name.fill('ANTHROPIC_API_KEY');
  expect(await wrong.count()).toBe(1);
  await page.getByLabel('Value').fill('canary-1');
  await page.getByLabel('Share it').check();
  await page.keyboard.press('Enter');
  await page.getByText('shared', { exact: true }).waitFor();
  expect(await page.content()).not.toContain('canary-1');
  await page.getByRole('button', { name: 'Remove ANTHROPIC_API_KEY' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('heading', { name: 'No key yet' }).waitFor();
});

test('an MCP server is added, changed without its secrets, turned off and removed', async () => {
  const page = await openPage(served(), { path: '/agents/mcp' });
  await page.getByRole('button', { name: 'Add a server' }).click();
  const name = page.getByLabel('Name', { exact: true });
  await name.and(page.locator(':focus')).fill('bad name !');
  await page.getByLabel('Command').fill('npx');
  // Nothing is kept yet.
  expect(await page.getByText('what is kept already').count()).toBe(0);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('Letters, digits, - and _ only.').waitFor();
  expect(await name.getAttribute('aria-invalid')).toBe('true');
  await name.fill('files');
  await page.getByLabel('Arguments').fill('-y\nserver');
  await page.getByLabel('Environment variables').fill('TOKEN=canary-2');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('button', { name: 'Edit files' }).waitFor();
  await page.getByRole('button', { name: 'Add a server' }).click();
  await name.fill('files');
  await page.getByLabel('Command').fill('npx');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('There is a server of this name already.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Edit files' }).click();
  await page.getByText('what is kept already').waitFor();
  const variables = page.getByLabel('Environment variables');
  expect(await variables.inputValue()).toBe('TOKEN=***');
  await variables.fill('TOKEN=***\nMORE=2');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('2 variables').waitFor();
  await page.getByLabel('files is on').click();
  await expect
    .poll(async () => (await served().client.mcpServers.get('files')).enabled)
    .toBe(false);
  expect(await seriousBarriers(page)).toEqual([]);
  await page.getByRole('button', { name: 'Remove files' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('heading', { name: 'No MCP server yet' }).waitFor();
  await hasFocus(page.getByRole('heading', { name: 'MCP servers' }));
});
