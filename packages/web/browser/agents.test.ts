import { fileURLToPath } from 'node:url';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { seriousBarriers } from './testing/axe.ts';
import { hasFocus } from './testing/has-focus.ts';
import { openPage } from './testing/page.ts';
import { screenshot } from './testing/screenshot.ts';
import { shareServedPage } from './testing/served-page.ts';
import { isTooWide } from './testing/too-wide.ts';

const ECHO = fileURLToPath(new URL('../../../testbed/mcp-echo.mjs', import.meta.url));
const served = shareServedPage({ env: { BATON_CODEX_BIN: '/nowhere/codex' } });

test('agents are shown with what they lack, and each option shows its support', async () => {
  const page = await openPage(served(), { path: '/agents' });
  const demo = page.getByRole('listitem').filter({ hasText: 'Demo agent' });
  await demo.getByText('Ready').waitFor();
  const codex = page.getByRole('listitem').filter({ hasText: 'BATON_CODEX_BIN' });
  await codex.getByText('baton backends install codex').waitFor();
  await codex.getByRole('button', { name: 'Copy the install command for Codex' }).waitFor();
  const middleOf = async (place: Locator) => {
    const { y, height } = (await place.boundingBox()) ?? { y: 0, height: 0 };
    return y + height / 2;
  };
  const title = page.getByRole('heading', { name: 'On this machine' });
  const look = page.getByRole('button', { name: 'Refresh' });
  expect(await middleOf(look)).toBeCloseTo(await middleOf(title), 0);
  const how = page.getByText('Baton counts turns and interrupts').first();
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
  const turns = page.getByRole('spinbutton', { name: 'Max turns' });
  await turns.fill('0');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Must be at least 1.').waitFor();
  await expect.poll(() => wrong.count()).toBe(1);
  await page.getByRole('button', { name: 'Reset Max turns to the default' }).click();
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
  await page.getByLabel('Output schema').fill('{"type":"bogus"}');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The output schema is not a valid JSON Schema').waitFor();
  await page.getByRole('button', { name: 'Reset Output schema' }).click();
  // What the daemon keeps elsewhere is not offered here.
  expect(await page.getByLabel(/Permission mode|MCP servers/).count()).toBe(0);
  const variables = page.getByLabel('Environment variables');
  await variables.fill('A=1\nB');
  await page.getByText('Expected NAME=value, got "B".').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  expect(await saved()).toEqual({});
  // One key is enough to put it right.
  await variables.press('=');
  await expect.poll(() => wrong.count()).toBe(0);
  await page.keyboard.press('2');
  await page.getByLabel('Delay between words (ms)').fill('0.5');
  await page.getByLabel('Total timeout (s)').fill('1.5');
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
  await page.getByRole('button', { name: 'Reset Max turns to the default' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('3 options set', { exact: true }).waitFor();
  await hasFocus(page.getByRole('button', { name: 'Save' }));
  await page.getByRole('button', { name: 'Reset all' }).click();
  await hasFocus(page.getByRole('heading', { name: 'Default options' }));
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Using agent defaults', { exact: true }).waitFor();
  await expect.poll(saved).toEqual({});
});

test('an agent is tested on demand, and the result is shown', async () => {
  const page = await openPage(served(), { path: '/agents/demo' });
  const below = page.getByRole('heading', { name: 'Default options' });
  const before = await below.boundingBox();
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  const report = page.getByRole('status').filter({ hasText: 'Took' });
  await report.getByText('Ready').waitFor();
  for (const fact of ['Version', 'Program', 'not needed', 'Bypass permissions', 'Took']) {
    await report.getByText(fact).waitFor();
  }
  expect(await below.boundingBox(), 'nothing jumps').toEqual(before);
  await page.goto(`${served().url}/app/agents/codex`);
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await report.getByText('Not installed').waitFor();
  await report.getByText('/nowhere/codex does not exist.').waitFor();
  await report.getByRole('button', { name: 'Copy the install command for' }).waitFor();
  expect(await seriousBarriers(page)).toEqual([]);
});

test('a key is saved, its value never shown, and removed after a confirmation', async () => {
  const page = await openPage(served(), { path: '/agents/keys' });
  await page.getByRole('button', { name: 'Add a key' }).click();
  const name = page.getByLabel('Name');
  await page.getByRole('button', { name: 'Save key' }).click();
  expect(await name.evaluate((field) => field === document.activeElement)).toBe(true);
  const wrong = page.locator('[aria-invalid=true]');
  expect(await wrong.count()).toBe(2);
  await name.fill('small');
  await page.getByText('Environment variable name, in capitals').waitFor();
  expect(await seriousBarriers(page)).toEqual([]);
  await name.fill('ANTHROPIC_API_KEY');
  expect(await wrong.count()).toBe(1);
  await page.getByLabel('Value').fill('canary-1');
  await page.getByLabel('Share with everyone').check();
  await page.keyboard.press('Enter');
  await page.getByText('shared', { exact: true }).waitFor();
  expect(await page.content()).not.toContain('canary-1');
  await page.getByRole('button', { name: 'Remove ANTHROPIC_API_KEY' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('heading', { name: 'No keys yet' }).waitFor();
});

test('an MCP server is added, changed without its secrets, turned off and removed', async () => {
  const page = await openPage(served(), { path: '/agents/mcp' });
  await page.getByRole('button', { name: 'Add a server' }).click();
  const name = page.getByLabel('Name', { exact: true });
  await name.and(page.locator(':focus')).fill('bad name !');
  await page.getByLabel('Command').fill('npx');
  // Nothing is kept yet.
  expect(await page.getByText('keeps the saved value').count()).toBe(0);
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
  await page.getByText('A server with this name already exists.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Edit files' }).click();
  await page.getByText('keeps the saved value').waitFor();
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
  await page.getByRole('heading', { name: 'No MCP servers yet' }).waitFor();
  await hasFocus(page.getByRole('heading', { name: 'MCP servers' }));
});

test("a server in an agent's own file is added, checked, copied and removed", async () => {
  const page = await openPage(served(), { path: '/agents/mcp' });
  await page.getByLabel('Agent', { exact: true }).selectOption('codex-cli');
  await page.getByRole('heading', { name: 'Codex has no servers of its own' }).waitFor();
  await page.getByRole('button', { name: 'Add to Codex' }).click();
  await page.getByLabel('Name', { exact: true }).fill('echo');
  await page.getByLabel('Command').fill(process.execPath);
  await page.getByLabel('Arguments').fill(ECHO);
  await page.getByLabel('Environment variables').fill('TOKEN=canary-3');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  const row = page.getByRole('listitem').filter({ hasText: 'mcp-echo.mjs' });
  await row.getByText('1 variable').waitFor();
  await page.getByRole('button', { name: 'Check echo' }).click();
  await row.getByText('1 tool: say.').waitFor();
  await screenshot(page, 'agent-mcp-server');
  expect(await seriousBarriers(page)).toEqual([]);
  await page.getByRole('button', { name: 'Copy echo' }).click();
  await page.getByLabel('To', { exact: true }).selectOption('gemini-cli');
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByRole('option', { name: 'Gemini CLI (1)' }).waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Remove echo' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('heading', { name: 'Codex has no servers of its own' }).waitFor();
  await page.getByLabel('Agent', { exact: true }).selectOption('gemini-cli');
  await row.first().waitFor();
  expect(await page.content()).not.toContain('canary-3');
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await isTooWide(page)).toBe(false);
});
